"""Validates every price from 1.00 to 999.99 by the document, with jsonschema.

Arguments: the file of the document. Exits with 1 when a price is refused.
"""

import json
import sys

import jsonschema

PLACES = [
    ("HostedPaymentRequest", "amount"),
    ("ExpressPaymentRequest", "amount"),
    ("HostedPaymentRequest", "items", "price"),
    ("HostedPaymentRequest", "splitPayment", "amount"),
]

with open(sys.argv[1], encoding="utf-8") as file:
    schemas = json.load(file)["components"]["schemas"]

prices = [json.loads(f"{minor // 100}.{minor % 100:02}") for minor in range(100, 100_000)]
refusals = 0
for name, *fields in PLACES:
    schema = schemas[name]
    for field in fields:
        schema = schema.get("items", schema)["properties"][field]
    validator = jsonschema.Draft202012Validator(schema)
    refused = [price for price in prices if not validator.is_valid(price)]
    assert not validator.is_valid("19.99"), "the validator accepts anything"
    refusals += len(refused)
    if refused:
        print(f"{name} {'.'.join(fields)} refuses {len(refused)} prices, such as {refused[0]}")
print(f"jsonschema: {len(prices)} prices at {len(PLACES)} places, {refusals} refused")
sys.exit(1 if refusals else 0)
