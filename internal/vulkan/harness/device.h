// What the programs of this folder share: the device, buffers and shader modules. Each function exits if it fails.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
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
static VkQueue queue;
static VkCommandBuffer commands;

struct buffer {
	VkBuffer handle;
	VkDeviceMemory memory;
	void *data;
	size_t size;
};

// read_file reads a whole file. It exits if it cannot.
static inline void *read_file(const char *name, size_t *size) {
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
static inline struct buffer new_buffer(size_t size, VkBufferUsageFlags usage) {
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

static inline void free_buffer(struct buffer b) {
	vkUnmapMemory(device, b.memory);
	vkDestroyBuffer(device, b.handle, NULL);
	vkFreeMemory(device, b.memory, NULL);
}

// load makes a buffer of at least some bytes with the contents of a file. "-" is an empty file.
static inline struct buffer load(const char *name, size_t least, VkBufferUsageFlags usage) {
	size_t size = 0;
	void *data = strcmp(name, "-") ? read_file(name, &size) : NULL;
	struct buffer b = new_buffer(size > least ? size : least, usage);
	if (data)
		memcpy(b.data, data, size);
	free(data);
	return b;
}

enum {
	PATIENCE = 30, // the CPU time in seconds that a job may take
	SLOW = 3,      // the exit status of the program if a job takes longer
};

static inline void give_up(int signal) { _exit(signal == SIGXCPU ? SLOW : 1); }

// be_patient ends the program if it takes more than PATIENCE seconds of CPU time from now on. The compilers of drivers take minutes
// for some functions with many branches.
static inline void be_patient(void) {
	struct rusage used;
	struct rlimit limit;
	getrusage(RUSAGE_SELF, &used);
	getrlimit(RLIMIT_CPU, &limit);
	limit.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + PATIENCE;
	setrlimit(RLIMIT_CPU, &limit);
	signal(SIGXCPU, give_up);
}

// new_module makes a shader module of a file.
static inline VkShaderModule new_module(const char *name) {
	size_t size;
	void *code = read_file(name, &size);
	VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
	VkShaderModule module;
	CHECK(vkCreateShaderModule(device, &info, NULL, &module));
	free(code);
	return module;
}

// stage returns a stage of a pipeline.
static inline VkPipelineShaderStageCreateInfo stage(VkShaderStageFlagBits flag, VkShaderModule module) {
	return (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = flag, .module = module, .pName = "main"};
}

// submit runs the commands that were recorded.
static inline void submit(void) {
	CHECK(vkEndCommandBuffer(commands));
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
	CHECK(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
	CHECK(vkQueueWaitIdle(queue));
}

// open_device opens a device, and prints its name. extension is NULL or the name of an extension, and next its features.
static inline void open_device(const char *extension, void *next) {
	VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
	VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
	VkInstance instance;
	CHECK(vkCreateInstance(&instance_info, NULL, &instance));
	VkPhysicalDevice list[8];
	uint32_t count = 8;
	vkEnumeratePhysicalDevices(instance, &count, list);
	if (count == 0) {
		printf("no device\n");
		exit(1);
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
	VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info, .pEnabledFeatures = &features, .pNext = next, .enabledExtensionCount = extension ? 1 : 0, .ppEnabledExtensionNames = &extension};
	CHECK(vkCreateDevice(physical, &device_info, NULL, &device));
	vkGetDeviceQueue(device, queue_family, 0, &queue);
	VkCommandPoolCreateInfo command_pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT, .queueFamilyIndex = queue_family};
	VkCommandPool command_pool;
	CHECK(vkCreateCommandPool(device, &command_pool_info, NULL, &command_pool));
	VkCommandBufferAllocateInfo command_alloc = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = command_pool, .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
	CHECK(vkAllocateCommandBuffers(device, &command_alloc, &commands));
}
