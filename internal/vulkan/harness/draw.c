// Draws with a graphics pipeline on a Vulkan device, without a window.
//
// Usage: draw < job. A job is a list of
//
//	vertex FILE, geometry FILE, fragment FILE
//	    the SPIR-V module of a stage, with the entry point main
//	attribute LOCATION KIND COMPONENTS
//	    an attribute of vertices: KIND is f, s or u for float, int or uint. Each attribute has 16 bytes of a vertex
//	vertices FILE
//	    the bytes of the vertices
//	topology NUMBER
//	    of VkPrimitiveTopology
//	uniforms BINDING FILE, memory BINDING FILE
//	    a buffer of set 0. Uniforms of at most 128 bytes are also the push constants
//	texture BINDING DIMENSIONS SIZE LEVELS FILE
//	    a texture of set 0 with 1 to 3 dimensions, or 4 for a cube, of SIZE texels each. A texel is 4 floats. The file has all levels,
//	    from the largest to the smallest, each with the faces of a cube one after another. The sampler takes the nearest texel of
//	    the nearest level and repeats the texture
//	targets NUMBER
//	    the number of render targets, whose texels are 4 floats. Each has at first 12345 in all components
//	draw VERTICES WIDTH CAPTURE OUT
//	    draws into WIDTH x 1 pixels and writes the results to the file OUT: the number of bytes of transform feedback, CAPTURE
//	    bytes of them, the render targets, and the depths, which are 0.75 at first. If CAPTURE is not 0, nothing is rasterised
#include "device.h"

enum { MOST = 64 };

static VkImageMemoryBarrier barrier(VkImage image, VkImageLayout from, VkImageLayout to) {
	return (VkImageMemoryBarrier){.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT, .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT, .oldLayout = from, .newLayout = to, .image = image, .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
}

struct image {
	VkImage handle;
	VkImageView view;
};

// new_image makes an image of the device and its view.
static struct image new_image(VkImageCreateInfo info, VkImageViewType type, VkImageAspectFlags aspect) {
	struct image m;
	info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
	info.samples = VK_SAMPLE_COUNT_1_BIT;
	CHECK(vkCreateImage(device, &info, NULL, &m.handle));
	VkMemoryRequirements need;
	vkGetImageMemoryRequirements(device, m.handle, &need);
	uint32_t kind = 0;
	while (!(need.memoryTypeBits >> kind & 1))
		kind++;
	VkMemoryAllocateInfo alloc = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need.size, .memoryTypeIndex = kind};
	VkDeviceMemory memory;
	CHECK(vkAllocateMemory(device, &alloc, NULL, &memory));
	CHECK(vkBindImageMemory(device, m.handle, memory, 0));
	VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, .image = m.handle, .viewType = type, .format = info.format, .subresourceRange = {aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
	CHECK(vkCreateImageView(device, &view, NULL, &m.view));
	return m;
}

// new_texture makes a texture with the texels of a file.
static struct image new_texture(unsigned dimensions, unsigned size, unsigned levels, const char *name) {
	struct buffer texels = load(name, 0, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
	const VkImageType types[] = {VK_IMAGE_TYPE_1D, VK_IMAGE_TYPE_2D, VK_IMAGE_TYPE_3D, VK_IMAGE_TYPE_2D};
	const VkImageViewType views[] = {VK_IMAGE_VIEW_TYPE_1D, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_VIEW_TYPE_3D, VK_IMAGE_VIEW_TYPE_CUBE};
	uint32_t faces = dimensions == 4 ? 6 : 1;
	VkExtent3D extent = {size, dimensions > 1 ? size : 1, dimensions == 3 ? size : 1};
	VkImageCreateInfo info = {.flags = dimensions == 4 ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0, .imageType = types[dimensions - 1], .format = VK_FORMAT_R32G32B32A32_SFLOAT, .extent = extent, .mipLevels = levels, .arrayLayers = faces, .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT};
	struct image m = new_image(info, views[dimensions - 1], VK_IMAGE_ASPECT_COLOR_BIT);
	VkImageMemoryBarrier before = barrier(m.handle, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL), after = barrier(m.handle, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
	vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &before);
	VkDeviceSize at = 0;
	for (uint32_t level = 0; level < levels; level++) {
		VkExtent3D e = {extent.width >> level, extent.height >> level, extent.depth >> level};
		e.width += !e.width, e.height += !e.height, e.depth += !e.depth;
		VkBufferImageCopy copy = {.bufferOffset = at, .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, faces}, .imageExtent = e};
		vkCmdCopyBufferToImage(commands, texels.handle, m.handle, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
		at += (VkDeviceSize)16 * e.width * e.height * e.depth * faces;
	}
	if (at > texels.size) {
		printf("%s is too short\n", name);
		exit(1);
	}
	vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &after);
	return m;
}

// put appends bytes to a file.
static void put(FILE *f, const void *data, size_t size) {
	if (fwrite(data, 1, size, f) != size) {
		printf("cannot write the results\n");
		exit(1);
	}
}

int main(void) {
	VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT, .transformFeedback = VK_TRUE};
	be_patient();
	open_device(VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME, &feedback);
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	CHECK(vkBeginCommandBuffer(commands, &begin));

	char word[32], name[512];
	VkPipelineShaderStageCreateInfo stages[3];
	uint32_t stage_count = 0, attribute_count = 0, resources = 0, targets = 0;
	VkVertexInputAttributeDescription attributes[32];
	VkDescriptorSetLayoutBinding bindings[MOST];
	VkDescriptorBufferInfo buffer_infos[MOST];
	VkDescriptorImageInfo image_infos[MOST];
	VkWriteDescriptorSet writes[MOST];
	struct buffer vertices = {0}, pushed = {0};
	unsigned topology = 0, count = 0, width = 0, capture = 0, binding;
	VkSamplerCreateInfo sampler_info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, .maxLod = VK_LOD_CLAMP_NONE};
	VkSampler sampler;
	CHECK(vkCreateSampler(device, &sampler_info, NULL, &sampler));
	int complete = 0;
	while (!complete && scanf("%31s", word) == 1) {
		const VkShaderStageFlagBits flags[] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_GEOMETRY_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
		const char *stage_names[] = {"vertex", "geometry", "fragment"};
		int known = 0;
		for (int i = 0; i < 3; i++)
			if (!strcmp(word, stage_names[i]) && stage_count < 3 && scanf("%511s", name) == 1)
				known = 1, stages[stage_count++] = stage(flags[i], new_module(name));
		if (!strcmp(word, "attribute") && attribute_count < 32) {
			const VkFormat formats[3][4] = {
				{VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT},
				{VK_FORMAT_R32_SINT, VK_FORMAT_R32G32_SINT, VK_FORMAT_R32G32B32_SINT, VK_FORMAT_R32G32B32A32_SINT},
				{VK_FORMAT_R32_UINT, VK_FORMAT_R32G32_UINT, VK_FORMAT_R32G32B32_UINT, VK_FORMAT_R32G32B32A32_UINT}};
			unsigned location, components;
			char kind;
			known = scanf("%u %c %u", &location, &kind, &components) == 3 && components >= 1 && components <= 4;
			if (known)
				attributes[attribute_count] = (VkVertexInputAttributeDescription){.location = location, .format = formats[kind == 'f' ? 0 : kind == 's' ? 1 : 2][components - 1], .offset = 16 * attribute_count};
			attribute_count++;
		}
		if (!strcmp(word, "vertices") && scanf("%511s", name) == 1)
			known = 1, vertices = load(name, 0, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
		if (!strcmp(word, "topology"))
			known = scanf("%u", &topology) == 1;
		if (!strcmp(word, "targets"))
			known = scanf("%u", &targets) == 1 && targets <= 8;
		int uniforms = !strcmp(word, "uniforms"), memory = !strcmp(word, "memory"), texture = !strcmp(word, "texture");
		if ((uniforms || memory || texture) && resources < MOST && scanf("%u", &binding) == 1) {
			bindings[resources] = (VkDescriptorSetLayoutBinding){.binding = binding, .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_ALL};
			writes[resources] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstBinding = binding, .descriptorCount = 1, .pBufferInfo = &buffer_infos[resources], .pImageInfo = &image_infos[resources]};
			if (texture) {
				unsigned dimensions, size, levels;
				known = scanf("%u %u %u %511s", &dimensions, &size, &levels, name) == 4 && dimensions >= 1 && dimensions <= 4;
				if (known)
					image_infos[resources] = (VkDescriptorImageInfo){sampler, new_texture(dimensions, size, levels, name).view, VK_IMAGE_LAYOUT_GENERAL};
				writes[resources].descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
			} else if (scanf("%511s", name) == 1) {
				known = 1;
				struct buffer b = load(name, 0, uniforms ? VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
				buffer_infos[resources] = (VkDescriptorBufferInfo){b.handle, 0, VK_WHOLE_SIZE};
				writes[resources].descriptorType = uniforms ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
				if (uniforms && b.size <= 128)
					pushed = b;
			}
			bindings[resources].descriptorType = writes[resources].descriptorType;
			resources++;
		}
		if (!strcmp(word, "draw"))
			known = complete = scanf("%u %u %u %511s", &count, &width, &capture, name) == 4;
		if (!known) {
			printf("cannot read the job at %s\n", word);
			return 1;
		}
	}
	if (!complete)
		return 0;

	VkDescriptorSetLayoutCreateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = resources, .pBindings = bindings};
	VkDescriptorSetLayout set_layout;
	CHECK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout));
	VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_ALL, .size = 128};
	VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set_layout, .pushConstantRangeCount = 1, .pPushConstantRanges = &push};
	VkPipelineLayout layout;
	CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
	VkDescriptorPoolSize sizes[3] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MOST}, {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, MOST}, {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, MOST}};
	VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 1, .poolSizeCount = 3, .pPoolSizes = sizes};
	VkDescriptorPool pool;
	CHECK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
	VkDescriptorSetAllocateInfo set_alloc = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = pool, .descriptorSetCount = 1, .pSetLayouts = &set_layout};
	VkDescriptorSet set;
	CHECK(vkAllocateDescriptorSets(device, &set_alloc, &set));
	for (uint32_t i = 0; i < resources; i++)
		writes[i].dstSet = set;
	vkUpdateDescriptorSets(device, resources, writes, 0, NULL);

	// The render targets, and the depth after them.
	VkAttachmentDescription attachments[9];
	VkAttachmentReference references[9];
	VkClearValue clear[9];
	VkPipelineColorBlendAttachmentState blends[8];
	VkImageView views[9];
	struct image images[9];
	for (uint32_t i = 0; i <= targets; i++) {
		int depth = i == targets;
		VkImageLayout final = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
		VkFormat format = depth ? VK_FORMAT_D32_SFLOAT : VK_FORMAT_R32G32B32A32_SFLOAT;
		attachments[i] = (VkAttachmentDescription){.format = format, .samples = VK_SAMPLE_COUNT_1_BIT, .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR, .storeOp = VK_ATTACHMENT_STORE_OP_STORE, .finalLayout = final};
		references[i] = (VkAttachmentReference){i, depth ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
		clear[i] = depth ? (VkClearValue){.depthStencil = {0.75f, 0}} : (VkClearValue){.color = {{12345, 12345, 12345, 12345}}};
		VkImageCreateInfo info = {.imageType = VK_IMAGE_TYPE_2D, .format = format, .extent = {width, 1, 1}, .mipLevels = 1, .arrayLayers = 1, .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | (depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT)};
		images[i] = new_image(info, VK_IMAGE_VIEW_TYPE_2D, depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT);
		views[i] = images[i].view;
		if (!depth)
			blends[i] = (VkPipelineColorBlendAttachmentState){.colorWriteMask = 15};
	}
	VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS, .colorAttachmentCount = targets, .pColorAttachments = references, .pDepthStencilAttachment = &references[targets]};
	VkRenderPassCreateInfo pass_info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .attachmentCount = targets + 1, .pAttachments = attachments, .subpassCount = 1, .pSubpasses = &subpass};
	VkRenderPass pass;
	CHECK(vkCreateRenderPass(device, &pass_info, NULL, &pass));
	VkFramebufferCreateInfo frame_info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, .renderPass = pass, .attachmentCount = targets + 1, .pAttachments = views, .width = width, .height = 1, .layers = 1};
	VkFramebuffer frame;
	CHECK(vkCreateFramebuffer(device, &frame_info, NULL, &frame));

	VkVertexInputBindingDescription stride = {.stride = attribute_count ? 16 * attribute_count : 16};
	VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO, .vertexBindingDescriptionCount = attribute_count > 0, .pVertexBindingDescriptions = &stride, .vertexAttributeDescriptionCount = attribute_count, .pVertexAttributeDescriptions = attributes};
	VkPipelineInputAssemblyStateCreateInfo assembly = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = (VkPrimitiveTopology)topology};
	VkViewport viewport = {0, 0, width, 1, 0, 1};
	VkRect2D scissor = {{0, 0}, {width, 1}};
	VkPipelineViewportStateCreateInfo view = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .pViewports = &viewport, .scissorCount = 1, .pScissors = &scissor};
	VkPipelineRasterizationStateCreateInfo raster = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1, .rasterizerDiscardEnable = capture > 0};
	VkPipelineMultisampleStateCreateInfo samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
	VkPipelineDepthStencilStateCreateInfo depth = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO, .depthTestEnable = VK_TRUE, .depthWriteEnable = VK_TRUE, .depthCompareOp = VK_COMPARE_OP_ALWAYS};
	VkPipelineColorBlendStateCreateInfo blend = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = targets, .pAttachments = blends};
	VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .stageCount = stage_count, .pStages = stages, .pVertexInputState = &input, .pInputAssemblyState = &assembly,
		.pViewportState = &view, .pRasterizationState = &raster, .pMultisampleState = &samples, .pDepthStencilState = &depth, .pColorBlendState = &blend, .layout = layout, .renderPass = pass};
	VkPipeline pipeline;
	CHECK(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));

	struct buffer captured = new_buffer(capture, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT), counter = new_buffer(4, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT);
	VkDeviceSize zero = 0;
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, NULL);
	if (pushed.size)
		vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, pushed.size / 4 * 4, pushed.data);
	if (attribute_count)
		vkCmdBindVertexBuffers(commands, 0, 1, &vertices.handle, &zero);
	VkRenderPassBeginInfo begin_pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = pass, .framebuffer = frame, .renderArea = {{0, 0}, {width, 1}}, .clearValueCount = targets + 1, .pClearValues = clear};
	vkCmdBeginRenderPass(commands, &begin_pass, VK_SUBPASS_CONTENTS_INLINE);
	if (capture) {
		((PFN_vkCmdBindTransformFeedbackBuffersEXT)vkGetDeviceProcAddr(device, "vkCmdBindTransformFeedbackBuffersEXT"))(commands, 0, 1, &captured.handle, &zero, &captured.size);
		((PFN_vkCmdBeginTransformFeedbackEXT)vkGetDeviceProcAddr(device, "vkCmdBeginTransformFeedbackEXT"))(commands, 0, 0, NULL, NULL);
	}
	vkCmdDraw(commands, count, 1, 0, 0);
	if (capture)
		((PFN_vkCmdEndTransformFeedbackEXT)vkGetDeviceProcAddr(device, "vkCmdEndTransformFeedbackEXT"))(commands, 0, 1, &counter.handle, &zero);
	vkCmdEndRenderPass(commands);
	VkMemoryBarrier written = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT, .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT};
	vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &written, 0, NULL, 0, NULL);
	size_t pixels = (size_t)width * (16 * targets + 4);
	struct buffer picture = new_buffer(pixels, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
	for (uint32_t i = 0; i <= targets; i++) {
		VkBufferImageCopy copy = {.bufferOffset = (VkDeviceSize)16 * width * i, .imageSubresource = {i == targets ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {width, 1, 1}};
		vkCmdCopyImageToBuffer(commands, images[i].handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, picture.handle, 1, &copy);
	}
	submit();
	FILE *f = fopen(name, "wb");
	if (!f) {
		printf("cannot write %s\n", name);
		return 1;
	}
	put(f, counter.data, 4);
	put(f, captured.data, capture);
	put(f, picture.data, pixels);
	if (fclose(f)) {
		printf("cannot write %s\n", name);
		return 1;
	}
	printf("ok\n");
	return 0;
}
