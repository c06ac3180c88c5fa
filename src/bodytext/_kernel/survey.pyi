from bodytext._kernel.survey_reference import Survey as Survey
