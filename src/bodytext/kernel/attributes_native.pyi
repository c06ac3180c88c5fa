from bodytext.kernel.attributes import read_values as read_values
