SkillModel = dawid_skene = None
