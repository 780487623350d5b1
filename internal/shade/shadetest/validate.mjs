// Validates WGSL with Dawn: node validate.mjs FILE... The folder $ISAGO_WEBGPU has the npm package webgpu. It prints each
// message of the compiler.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const { create, globals } = await import(pathToFileURL(`${process.env.ISAGO_WEBGPU}/node_modules/webgpu/index.js`));
Object.assign(globalThis, globals);
const adapter = await create(['backend=null']).requestAdapter();
const device = await adapter.requestDevice();
for (const file of process.argv.slice(2)) {
	device.pushErrorScope('validation');
	const code = readFileSync(file, 'utf8');
	const module = device.createShaderModule({ code });
	for (const m of (await module.getCompilationInfo()).messages) {
		if (m.message === 'code is unreachable') { // naga demands a return after an endless loop
			continue;
		}
		console.log(`${file}:${m.lineNum}:${m.linePos}: ${m.type}: ${m.message}`);
	}
	const error = await device.popErrorScope();
	if (error) {
		console.log(`${file}: ${error.message}`);
	} else if (/@vertex/.test(code)) {
		// The pipeline checks what the module alone does not: the interface of the stage.
		device.pushErrorScope('validation');
		const buffers = [...code.matchAll(/@location\((\d+)\) \w+_in: vec(\d)<f32>/g)].map(([, location, n]) => ({
			arrayStride: 16,
			attributes: [{ shaderLocation: Number(location), offset: 0, format: `float32x${n}` }],
		}));
		device.createRenderPipeline({
			layout: 'auto', vertex: { module, buffers },
			primitive: { topology: 'triangle-list' }, depthStencil: { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' },
		});
		const pipeline = await device.popErrorScope();
		if (pipeline) {
			console.log(`${file}: ${pipeline.message}`);
		}
	} else if (/@fragment/.test(code)) {
		// The vertex shader has the inputs as outputs. A target has four floats.
		device.pushErrorScope('validation');
		const inputs = [...code.matchAll(/(@location\(\d+\)) (?:(@interpolate\([^)]*\)) )?(\w+)_in: ([\w<>]+)/g)];
		const vertex = `struct out { ${inputs.map(([, location, how, name, type]) => `${location} ${how ?? ''} ${name}: ${type},`).join(' ')} @builtin(position) at: vec4<f32> }
			@vertex fn main() -> out { var x: out; return x; }`;
		const outputs = /struct main_out \{([^}]*)\}/.exec(code)?.[1] ?? '';
		const targets = [...outputs.matchAll(/@location\((\d+)\)/g)].map(() => ({ format: 'rgba8unorm' }));
		device.createRenderPipeline({
			layout: 'auto', vertex: { module: device.createShaderModule({ code: vertex }) }, fragment: { module, targets },
			primitive: { topology: 'triangle-list' }, depthStencil: { format: 'depth24plus', depthWriteEnabled: true, depthCompare: 'less' },
		});
		const pipeline = await device.popErrorScope();
		if (pipeline) {
			console.log(`${file}: ${pipeline.message}`);
		}
	}
}
process.exit(0);
