// Runs compute shaders and vertex shaders on a Vulkan device.
//
// Usage: harness < jobs. A line of the jobs is
//
//	MODULE GROUPS ROWS IN OUT OUTBYTES UNIFORMS MEMORY RESULT GEOMETRY ATTRIBUTES
//
// with the file of the SPIR-V module, the numbers of workgroups in x and y, the files of the inputs and of the results, the number of bytes
// of the results, and the files of the uniform block and of a memory. The module has the entry point main. Binding 0 of set 0
// has the inputs, 1 the results, 2 the uniform block and 3 the memory. RESULT is the binding of the buffer that is written to OUT.
// The program prints a line for each job: ok, or what failed.
//
// GEOMETRY is - for a compute shader. For a vertex shader, it is the module of a geometry shader that gets a point for each
// vertex and writes the results. GROUPS is then the number of vertices, and ATTRIBUTES has for each attribute its location, the
// letter f, s or u for float, int or uint, its number of components, and a comma. An attribute has 16 bytes in the inputs. The
// uniform block is also in the push constants, if it has at most 128 bytes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define CHECK(call)                                                    \
	do {                                                               \
		VkResult r_ = (call);                                          \
		if (r_ != VK_SUCCESS) {                                        \
			printf("%s failed with %d\n", #call, r_);                  \
			exit(1);                                                   \
		}                                                              \
	} while (0)

static VkDevice device;
static VkPhysicalDevice physical;
static VkPhysicalDeviceMemoryProperties memories;

struct buffer {
	VkBuffer handle;
	VkDeviceMemory memory;
	void *data;
	size_t size;
};

// read_file reads a whole file. It exits if it cannot.
static void *read_file(const char *name, size_t *size) {
	FILE *f = fopen(name, "rb");
	if (!f) {
		printf("cannot open %s\n", name);
		exit(1);
	}
	fseek(f, 0, SEEK_END);
	*size = (size_t)ftell(f);
	rewind(f);
	void *data = malloc(*size + 1);
	if (!data || fread(data, 1, *size, f) != *size) {
		printf("cannot read %s\n", name);
		exit(1);
	}
	fclose(f);
	return data;
}

// new_buffer makes a buffer of at least 16 bytes that the host sees.
static struct buffer new_buffer(size_t size, VkBufferUsageFlags usage) {
	struct buffer b = {.size = size < 16 ? 16 : size};
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = b.size, .usage = usage};
	CHECK(vkCreateBuffer(device, &info, NULL, &b.handle));
	VkMemoryRequirements need;
	vkGetBufferMemoryRequirements(device, b.handle, &need);
	VkMemoryPropertyFlags want = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	uint32_t type = 0;
	while (type < memories.memoryTypeCount && (!(need.memoryTypeBits >> type & 1) || (memories.memoryTypes[type].propertyFlags & want) != want))
		type++;
	VkMemoryAllocateInfo alloc = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need.size, .memoryTypeIndex = type};
	CHECK(vkAllocateMemory(device, &alloc, NULL, &b.memory));
	CHECK(vkBindBufferMemory(device, b.handle, b.memory, 0));
	CHECK(vkMapMemory(device, b.memory, 0, VK_WHOLE_SIZE, 0, &b.data));
	memset(b.data, 0, b.size);
	return b;
}

static void free_buffer(struct buffer b) {
	vkUnmapMemory(device, b.memory);
	vkDestroyBuffer(device, b.handle, NULL);
	vkFreeMemory(device, b.memory, NULL);
}

// load makes a buffer with the contents of a file. "-" is an empty buffer.
static struct buffer load(const char *name, VkBufferUsageFlags usage) {
	size_t size = 0;
	void *data = strcmp(name, "-") ? read_file(name, &size) : NULL;
	struct buffer b = new_buffer(size, usage);
	if (data)
		memcpy(b.data, data, size);
	free(data);
	return b;
}

// new_module makes a shader module of a file.
static VkShaderModule new_module(const char *name) {
	size_t size;
	void *code = read_file(name, &size);
	VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
	VkShaderModule module;
	CHECK(vkCreateShaderModule(device, &info, NULL, &module));
	free(code);
	return module;
}

// stage returns a stage of a pipeline.
static VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits flag, VkShaderModule module) {
	return (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = flag, .module = module, .pName = "main"};
}

// new_vertex_pipeline makes a pipeline that draws points.
static VkPipeline new_vertex_pipeline(VkPipelineLayout layout, VkRenderPass pass, VkShaderModule vertex, VkShaderModule geometry, const char *attributes) {
	VkVertexInputAttributeDescription list[32];
	const VkFormat formats[3][4] = {
		{VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT},
		{VK_FORMAT_R32_SINT, VK_FORMAT_R32G32_SINT, VK_FORMAT_R32G32B32_SINT, VK_FORMAT_R32G32B32A32_SINT},
		{VK_FORMAT_R32_UINT, VK_FORMAT_R32G32_UINT, VK_FORMAT_R32G32B32_UINT, VK_FORMAT_R32G32B32A32_UINT}};
	uint32_t n = 0, location, components;
	char kind;
	int length;
	for (; n < 32 && sscanf(attributes, "%u%c%u,%n", &location, &kind, &components, &length) == 3; n++, attributes += length)
		list[n] = (VkVertexInputAttributeDescription){.location = location, .format = formats[kind == 'f' ? 0 : kind == 's' ? 1 : 2][components - 1], .offset = 16 * n};
	VkVertexInputBindingDescription binding = {.stride = n ? 16 * n : 16};
	VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO, .vertexBindingDescriptionCount = 1, .pVertexBindingDescriptions = &binding, .vertexAttributeDescriptionCount = n, .pVertexAttributeDescriptions = list};
	VkPipelineInputAssemblyStateCreateInfo assembly = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST};
	VkViewport viewport = {0, 0, 1, 1, 0, 1};
	VkRect2D scissor = {{0, 0}, {1, 1}};
	VkPipelineViewportStateCreateInfo view = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .pViewports = &viewport, .scissorCount = 1, .pScissors = &scissor};
	VkPipelineRasterizationStateCreateInfo raster = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
	VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
	VkPipelineShaderStageCreateInfo stages[2] = {stage(VK_SHADER_STAGE_VERTEX_BIT, vertex), stage(VK_SHADER_STAGE_GEOMETRY_BIT, geometry)};
	VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .stageCount = 2, .pStages = stages, .pVertexInputState = &input, .pInputAssemblyState = &assembly,
		.pViewportState = &view, .pRasterizationState = &raster, .pMultisampleState = &samples, .layout = layout, .renderPass = pass};
	VkPipeline pipeline;
	CHECK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
	return pipeline;
}

int main(void) {
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
	VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
	VkInstance instance;
	CHECK(vkCreateInstance(&instance_info, NULL, &instance));
	VkPhysicalDevice list[8];
	uint32_t count = 8;
	vkEnumeratePhysicalDevices(instance, &count, list);
	if (count == 0) {
		printf("no device\n");
		return 1;
	}
	physical = list[0];
	for (uint32_t i = 0; i < count; i++) { // a processor gives the same results on every computer
		VkPhysicalDeviceProperties p;
		vkGetPhysicalDeviceProperties(list[i], &p);
		if (p.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
			physical = list[i];
	}
	VkPhysicalDeviceProperties properties;
	vkGetPhysicalDeviceProperties(physical, &properties);
	printf("device %s\n", properties.deviceName);
	vkGetPhysicalDeviceMemoryProperties(physical, &memories);
	VkPhysicalDeviceFeatures have, features = {0};
	vkGetPhysicalDeviceFeatures(physical, &have);
	features.shaderFloat64 = have.shaderFloat64;
	features.shaderInt64 = have.shaderInt64;
	features.geometryShader = have.geometryShader;
	features.vertexPipelineStoresAndAtomics = have.vertexPipelineStoresAndAtomics;
	uint32_t families = 8;
	VkQueueFamilyProperties family[8];
	vkGetPhysicalDeviceQueueFamilyProperties(physical, &families, family);
	uint32_t queue_family = 0;
	while (queue_family + 1 < families && (family[queue_family].queueFlags & (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT)) != (VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT))
		queue_family++;
	float priority = 1;
	VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = queue_family, .queueCount = 1, .pQueuePriorities = &priority};
	VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info, .pEnabledFeatures = &features};
	CHECK(vkCreateDevice(physical, &device_info, NULL, &device));
	VkQueue queue;
	vkGetDeviceQueue(device, queue_family, 0, &queue);
	VkDescriptorSetLayoutBinding bindings[4];
	for (uint32_t i = 0; i < 4; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i, .descriptorType = i == 2 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_ALL};
	VkDescriptorSetLayoutCreateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 4, .pBindings = bindings};
	VkDescriptorSetLayout set_layout;
	CHECK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout));
	VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_ALL, .size = 128};
	VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout, .pushConstantRangeCount = 1, .pPushConstantRanges = &push};
	VkPipelineLayout layout;
	CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
	VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1}};
	VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 2, .pPoolSizes = sizes};
	VkDescriptorPool pool;
	CHECK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
	VkDescriptorSetAllocateInfo set_alloc = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &set_layout};
	VkDescriptorSet set;
	CHECK(vkAllocateDescriptorSets(device, &set_alloc, &set));
	VkCommandPoolCreateInfo command_pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, .queueFamilyIndex = queue_family};
	VkCommandPool command_pool;
	CHECK(vkCreateCommandPool(device, &command_pool_info, NULL, &command_pool));
	VkCommandBufferAllocateInfo command_alloc = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = command_pool, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
	VkCommandBuffer commands;
	CHECK(vkAllocateCommandBuffers(device, &command_alloc, &commands));

	VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS};
	VkRenderPassCreateInfo pass_info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .subpassCount = 1, .pSubpasses = &subpass};
	VkRenderPass pass;
	CHECK(vkCreateRenderPass(device, &pass_info, NULL, &pass));
	VkFramebufferCreateInfo frame_info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, .renderPass = pass, .width = 1, .height = 1, .layers = 1};
	VkFramebuffer frame;
	CHECK(vkCreateFramebuffer(device, &frame_info, NULL, &frame));

	char geometry_name[512], attributes[512], module_name[512], in_name[512], out_name[512], uniforms_name[512], memory_name[512];
	unsigned groups, rows, result;
	size_t out_size;
	while (scanf("%511s %u %u %511s %511s %zu %511s %511s %u %511s %511s", module_name, &groups, &rows, in_name, out_name, &out_size, uniforms_name, memory_name, &result, geometry_name, attributes) == 11 && result < 4) {
		int draws = strcmp(geometry_name, "-") != 0;
		VkShaderModule module = new_module(module_name), geometry = VK_NULL_HANDLE;
		VkPipeline pipeline;
		if (draws) {
			geometry = new_module(geometry_name);
			pipeline = new_vertex_pipeline(layout, pass, module, geometry, attributes);
		} else {
			VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = layout, .stage = stage(VK_SHADER_STAGE_COMPUTE_BIT, module)};
			CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
		}
		struct buffer b[4] = {
			load(in_name, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT), new_buffer(out_size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT),
			load(uniforms_name, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT), load(memory_name, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT)};
		VkWriteDescriptorSet writes[4];
		VkDescriptorBufferInfo infos[4];
		for (uint32_t i = 0; i < 4; i++) {
			infos[i] = (VkDescriptorBufferInfo){b[i].handle, 0, VK_WHOLE_SIZE};
			writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = i, .descriptorCount = 1, .descriptorType = bindings[i].descriptorType, .pBufferInfo = &infos[i]};
		}
		vkUpdateDescriptorSets(device, 4, writes, 0, NULL);
		VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
		CHECK(vkBeginCommandBuffer(commands, &begin));
		VkPipelineBindPoint point = draws ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE;
		vkCmdBindPipeline(commands, point, pipeline);
		vkCmdBindDescriptorSets(commands, point, layout, 0, 1, &set, 0, NULL);
		if (b[2].size <= 128)
			vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, b[2].size / 4 * 4, b[2].data);
		if (draws) {
			VkRenderPassBeginInfo begin_pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = pass, .framebuffer = frame, .renderArea = {{0, 0}, {1, 1}}};
			VkDeviceSize zero = 0;
			vkCmdBeginRenderPass(commands, &begin_pass, VK_SUBPASS_CONTENTS_INLINE);
			vkCmdBindVertexBuffers(commands, 0, 1, &b[0].handle, &zero);
			vkCmdDraw(commands, groups, 1, 0, 0);
			vkCmdEndRenderPass(commands);
		} else {
			vkCmdDispatch(commands, groups, rows, 1);
		}
		CHECK(vkEndCommandBuffer(commands));
		VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
		CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
		CHECK(vkQueueWaitIdle(queue));
		FILE *f = fopen(out_name, "wb");
		if (!f || fwrite(b[result].data, 1, out_size, f) != out_size || fclose(f)) {
			printf("cannot write %s\n", out_name);
			return 1;
		}
		for (uint32_t i = 0; i < 4; i++)
			free_buffer(b[i]);
		vkDestroyPipeline(device, pipeline, NULL);
		vkDestroyShaderModule(device, module, NULL);
		vkDestroyShaderModule(device, geometry, NULL);
		printf("ok\n");
		fflush(stdout);
	}
	return 0;
}
