// Runs compute shaders on a Vulkan device.
//
// Usage: harness < jobs. A line of the jobs is
//
//	MODULE ENTRY GROUPS ROWS IN OUT OUTBYTES UNIFORMS MEMORY RESULT X Y Z
//
// with the file of the SPIR-V module, the name of its entry point, the numbers of workgroups in x and y, the files of the inputs and of the results, the number of bytes
// of the results, and the files of the uniform block and of a memory. Binding 0 of set 0
// has the inputs, 1 the results, 2 the uniform block and 3 the memory. Binding 4 has the first 64 KiB of the inputs as a uniform block. RESULT is the binding of the buffer that is written to OUT.
// X, Y and Z are the specialization constants 0 to 2, if X is not 0. The uniform block is also in the push constants, if it has at
// most 128 bytes. The program prints a line for each job: ok, or
// what failed.
#include "device.h"

enum { BLOCK = 1 << 16 };

int main(void) {
	open_device(NULL, NULL);
	VkDescriptorSetLayoutBinding bindings[5];
	for (uint32_t i = 0; i < 5; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i, .descriptorType = i == 2 || i == 4 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_ALL};
	VkDescriptorSetLayoutCreateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 5, .pBindings = bindings};
	VkDescriptorSetLayout set_layout;
	CHECK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout));
	VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_ALL, .size = 128};
	VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout, .pushConstantRangeCount = 1, .pPushConstantRanges = &push};
	VkPipelineLayout layout;
	CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
	VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2}};
	VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes};
	VkDescriptorPool pool;
	CHECK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
	VkDescriptorSetAllocateInfo set_alloc = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &set_layout};
	VkDescriptorSet set;
	CHECK(vkAllocateDescriptorSets(device, &set_alloc, &set));

	char module_name[512], entry[64], in_name[512], out_name[512], uniforms_name[512], memory_name[512];
	unsigned groups, rows, result, block[3];
	size_t out_size;
	while (scanf("%511s %63s %u %u %511s %511s %zu %511s %511s %u %u %u %u", module_name, entry, &groups, &rows, in_name, out_name, &out_size, uniforms_name, memory_name, &result, &block[0], &block[1], &block[2]) == 13 && result < 4) {
		be_patient();
		VkShaderModule module = new_module(module_name);
		VkPipeline pipeline;
		const VkSpecializationMapEntry sizes[3] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}};
		VkSpecializationInfo constants = {.mapEntryCount = 3, .pMapEntries = sizes, .dataSize = sizeof block, .pData = block};
		VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout, .stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, module)};
		info.stage.pName = entry;
		if (block[0] > 0)
			info.stage.pSpecializationInfo = &constants;
		CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
		struct buffer b[4] = {
			load(in_name, BLOCK, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT), new_buffer(out_size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT),
			load(uniforms_name, 0, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT), load(memory_name, 0, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT)};
		VkWriteDescriptorSet writes[5];
		VkDescriptorBufferInfo infos[5];
		for (uint32_t i = 0; i < 5; i++) {
			infos[i] = i == 4 ? (VkDescriptorBufferInfo){b[0].handle, 0, BLOCK} : (VkDescriptorBufferInfo){b[i].handle, 0, VK_WHOLE_SIZE};
			writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = i, .descriptorCount = 1, .descriptorType = bindings[i].descriptorType, .pBufferInfo = &infos[i]};
		}
		vkUpdateDescriptorSets(device, 5, writes, 0, NULL);
		VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
		CHECK(vkBeginCommandBuffer(commands, &begin));
		vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
		vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
		if (b[2].size <= 128)
			vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, b[2].size / 4 * 4, b[2].data);
		vkCmdDispatch(commands, groups, rows, 1);
		submit();
		FILE *f = fopen(out_name, "wb");
		if (!f || fwrite(b[result].data, 1, out_size, f) != out_size || fclose(f)) {
			printf("cannot write %s\n", out_name);
			return 1;
		}
		for (uint32_t i = 0; i < 4; i++)
			free_buffer(b[i]);
		vkDestroyPipeline(device, pipeline, NULL);
		vkDestroyShaderModule(device, module, NULL);
		printf("ok\n");
		fflush(stdout);
	}
	return 0;
}
