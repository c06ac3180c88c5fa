from bodytext.kernel.survey import Survey as Survey
