"""Work in a process of its own, with limits on time and memory, for builds, service and reader."""
