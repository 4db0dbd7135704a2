"""Reads documents of OpenMetrics, a JSON list of texts, and prints the samples of each by name and labels."""

import json
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families


def samples(text):
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


json.dump([samples(text) for text in json.load(sys.stdin)], sys.stdout)
