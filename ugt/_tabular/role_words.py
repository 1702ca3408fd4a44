"""The words by which columns and rows are known: roles, people, models, truths, covariates, factors of a case, status of work.

Every door reads this one table. Words are in lower case and without punctuation, as ``plain`` of ``ugt/_tabular/roles.py`` makes them.
"""

from __future__ import annotations


def with_id(*names: str) -> set[str]:
    """Return the names, and the names with "id" behind them."""
    return {name + end for name in names for end in ("", "id")}


# Names that the columns of long tables have.
ALIASES = {
    "case": with_id("case", "task", "item", "subject", "unit"),
    "annotator": with_id("annotator", "worker", "rater", "reader", "coder"),
    "label": {"label", "class", "answer", "grade", "category"},
    "rank": {"rank"},
    "confidence": {"confidence"},
    "ranking": {"ranking"},
    "count": {"count"},
    "value": {"value", "rating"},
    "score": {"score", "probability", "logit"},
    "model": with_id("model", "system", "algorithm"),
    "cluster": with_id("cluster", "patient", "group"),
    "reliability": {"reliability"},
}

# People whom columns of annotators are named after.
PEOPLE = {"user", "expert", "labeler", "labeller", "doctor", "judge", "reviewer", "radiologist", "pathologist", "observer", "grader"}
PEOPLE |= {"scorer", "physician", "cardiologist", "examiner", "assessor", "rad", "clinician", "dermatologist", "neurologist", "evaluator"}
PEOPLE |= {"ophthalmologist", "cytologist", "technologist", "technician", "respondent", "participant", "crowdworker", "resident", "nurse"}
PEOPLE |= {"student", "surgeon", "dentist"}

# Words beside which a number is that of a person: "SeniorPath1", "Junior 2".
GRADES_OF_PEOPLE = {"senior", "junior", "attending", "fellow", "trainee", "consultant", "registrar", "path", "rad", "doc", "dr"}

# Less specific names: used if no other column has the role and the table is certainly long.
ALSO = {
    "case": with_id("image", "sample", "example", "document", "instance", "record", "question", "study", "lesion", "nodule", "slide")
    | with_id("scan", "exam", "accession")
    | {"id", "filename", "accessionnumber", "indexlevel0"},  # the last is what arrow calls an index of pandas without a name
    "annotator": with_id(*PEOPLE),
}
CASES = ALIASES["case"] | ALSO["case"]
LONG = ("label", "ranking", "value")
DIAGNOSES = {"diagnosis", "dx", "classname", "labelname"}  # names of labels in a table with a column of annotators

# What is judged together with the case: a second column of the case, never an annotator.
SIDES = {"side", "laterality", "eye", "breast", "knee", "hip", "tooth", "seite", "auge", "zahn"}
FACTORS = with_id("system", "model", "turn", "criterion", "criteria", "aspect", "dimension", "prompt", "language", "series", "visit")
FACTORS |= with_id("epoch", "night", "segment", "frame", "slice", "finding", "timepoint", "roi", "region", "tile", "patch") | SIDES

# Columns that are no annotators in tables with one row per case: properties of the case.
OTHERS = {"age", "sex", "gender", "site", "center", "centre", "hospital", "date", "time", "timestamp", "comment", "comments", "note"}
OTHERS |= {"notes", "microscope", "scanner", "screen", "vendor", "manufacturer", "device", "magnification", "bmi", "race", "ethnicity"}
OTHERS |= {"department", "country", "batch", "difficulty"}
OTHERS |= ALIASES["cluster"] | ALIASES["model"] | ALIASES["confidence"]
# Measurements: of one kind they may be by annotators, so that only a column among others is none.
MEASURES = {"volume", "vol", "area", "diameter", "length", "width", "height", "weight", "density"}
# What programs for surveys write beside the answers, and their names of who answers. A stamp is the first column of Google Forms.
STAMPS = {"timestamp", "zeitstempel", "zeitpunkt", "horodateur", "marcatemporal", "informazionicronologiche", "tijdstempel"}
SURVEYS = {
    "starttime",
    "completiontime",
    "startdate",
    "enddate",
    "submitdate",
    "datesubmitted",
    "datestarted",
    "datelastaction",
    "lastpage",
}
SURVEYS |= {"recordeddate", "durationinseconds", "ipaddress", "collectorid", "startlanguage", "lastmodifiedtime", "status", "progress"}
SURVEYS |= {"finished", "seed", "submissionid", "networkid", "locationlatitude", "locationlongitude", "distributionchannel", "userlanguage"}
RESPONDENTS = ("responseid", "respondentid", "yourname", "emailaddress", "email", "username", "recipientemail", "token")
PERSONAL = {"name", "firstname", "lastname", "recipientfirstname", "recipientlastname"}
# Columns that are derived from the columns of annotators.
MADE = {"consensus", "majority", "majorityvote", "adjudicated", "groundtruth", "goldstandard", "referencestandard"}
MADE |= {"total", "summe", "gesamt", "sum", "mean", "average", "avg", "median", "mode", "max", "maximum", "min", "minimum", "sd", "std"}
MADE |= {"count", "range", "final", "mittelwert", "moyenne", "media"}
# Names of rows that summarise the others.
SUMS = {"consensus", "majority", "majorityvote", "adjudicated", "groundtruth", "goldstandard", "referencestandard", "total", "summe"}
SUMS |= {"gesamt", "totals", "grandtotal", "sum", "mean", "average", "median", "gesamtsumme", "mittelwert", "somme", "moyenne", "suma"}
SUMS |= {"media"}

TIMES = {"seconds", "sec", "minutes", "duration", "conf", "certainty", "remark", "remarks"}
# Columns beside those of annotators that may be numbered like these: "Confidence 1", "time_2".
OF_EACH = TIMES | {"confidence", "date", "time", "timestamp", "comment", "comments", "note", "notes"}
# Models and tools, of any version: "ResNet50", "GPT-4".
MODELS = {"ai", "ki", "dl", "ml", "cnn", "cad", "llm", "chatgpt", "gpt", "claude", "gemini", "llama", "mistral", "resnet", "densenet"}
MODELS |= {"efficientnet", "vgg", "vit", "unet", "yolo", "bert", "mobilenet", "inception", "xgboost"}
# Columns of a truth that is known otherwise, of who settles differences, and of a model.
TRUTHS = {"pathology", "pathologie", "histology", "histologie", "histopathology", "biopsy", "biopsie", "truth", "gt", "goldstd"}
TRUTHS |= {"reference", "referenz", "referenzstandard", "konsens", "konsensus", "finaldiagnosis", "endbefund", "enddiagnose", "outcome"}
TRUTHS |= {"arbitrator", "arbiter", "adjudicator", "adjudication", "gold", "goldlabel", "ytrue", "ypred", "target", "pcr", "icd", "icd10"}
TRUTHS |= {"diagnosis", "diagnose", "dx", "clinicaldiagnosis", "befund", "vorbefund", "report", "radiologyreport", "path"}
TRUTHS |= {"vote", "agreement", "agree", "disagree", "split", "fold", "quality", "followup"}
# Words in their names, which hardly are names of people: "Final Dx", "Majority label", "Consensus reading", "AI prediction".
DERIVED = {"consensus", "konsens", "majority", "mehrheit", "voted", "adjudicated", "adjudication", "arbitration", "tiebreak", "tiebreaker"}
DERIVED |= {"final", "endgültig", "endgültige", "endgueltig", "true", "truth", "wahrheit", "reference", "referenz", "ref", "panel", "histo"}
DERIVED |= {"pathology", "pathologie", "histology", "histologie", "histopathology", "histopath", "biopsy", "biopsie"}
DERIVED |= {"model", "modell", "algorithm", "algorithmus", "software", "prediction", "predicted", "pred", "vorhersage"}
DERIVED |= {"report", "autogenerated", "automated"}
DERIVED |= {"chatgpt", "gpt", "resnet", "densenet", "efficientnet", "mean", "median", "average"} | MEASURES
# Findings, each of which is a question of its own: columns so called are no annotators.
FINDINGS = {"nofinding", "atelectasis", "cardiomegaly", "enlargedcardiomediastinum", "consolidation", "edema", "oedema", "effusion"}
FINDINGS |= {"pleuraleffusion", "pleuralother", "pleuralthickening", "pneumonia", "pneumothorax", "fracture", "nodule", "mass", "hernia"}
FINDINGS |= {"emphysema", "fibrosis", "infiltration", "infiltrate", "lungopacity", "lunglesion", "opacity", "supportdevices", "hemorrhage"}
FINDINGS |= {"haemorrhage", "calcification", "calcifications", "tumor", "tumour", "cyst", "lesion", "necrosis", "inflammation"}
# Which columns and values say that an annotation was withdrawn, or is a test of the annotator.
STATUS = {"status", "assignmentstatus", "annotationstatus", "responsestatus", "state", "tainted", "golden", "rejected", "discarded"}
STATUS |= {"cancelled", "canceled", "wascancelled", "testquestion", "isgold", "skipped"}
TESTS = {"testquestion", "golden", "isgold", "isgolden", "goldquestion", "attncheck", "isattncheck", "attentioncheck", "isattentioncheck"}
TESTS |= {"honeypot", "ishoneypot"}
STATUS |= TESTS
WITHDRAWN_WORDS = {"rejected", "draft", "discarded", "tainted", "cancelled", "canceled", "wascancelled", "skipped", "withdrawn"}
WITHDRAWN_WORDS |= {"surveypreview", "spam", "returned", "timedout", "expired"} | TESTS
YES = {"true", "1", "yes", "t", "y"}
