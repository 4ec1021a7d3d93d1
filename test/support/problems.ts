import { expect } from 'vitest';
import { OPERATOR_PROBLEMS } from '../../back-office/operator/problems.ts';
import { FIELD_ERROR_CODES } from '../../src/kit/http/field-error.ts';
import { PROBLEMS, type ProblemEntry } from '../../src/kit/http/problems.ts';

/** The envelope of an error (docs/api.md#errors). */
export interface ProblemEnvelope {
  readonly status: number;
  readonly message: string;
  readonly code: string;
  readonly validationErrors?: Readonly<Record<string, string>>;
  readonly validationErrorCodes?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
  /** Of a duplicate, if the key may read payments. */
  readonly payment?: unknown;
  readonly requestId: string;
  readonly docs: string;
}

const REGISTRY: Readonly<Record<string, ProblemEntry>> = { ...PROBLEMS, ...OPERATOR_PROBLEMS };

/** Checks the form of an error: a registered code, and nothing beside the documented fields. */
export function expectProblemForm(envelope: ProblemEnvelope, headers: Headers): void {
  const { code, validationErrors, validationErrorCodes, warnings, payment } = envelope;
  expect(envelope).toEqual({
    status: REGISTRY[code]?.status,
    message: expect.any(String),
    code,
    ...(code === 'validation_failed' && { validationErrors, validationErrorCodes }),
    ...(warnings !== undefined && { warnings }),
    ...(code === 'duplicate_payment_id' && payment !== undefined && { payment }),
    requestId: headers.get('x-request-id') ?? expect.any(String),
    docs: expect.stringMatching(`^https?://[^/]+/docs/errors#${code}$`),
  });
  expect(Object.keys(validationErrorCodes ?? {})).toEqual(Object.keys(validationErrors ?? {}));
  for (const [field, text] of Object.entries(validationErrors ?? {})) {
    expect(FIELD_ERROR_CODES).toContain(validationErrorCodes?.[field]);
    // The code is not part of the sentence.
    expect(text).toMatch(/^[A-Z]/);
  }
}

/** What two answers about different requests have in common. */
export function withoutRequestId(text: string): string {
  return text.replace(/"requestId":"[^"]+"/, '"requestId":""');
}
