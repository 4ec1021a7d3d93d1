export const ENVIRONMENTS = ['sandbox', 'production'] as const;

export type Environment = (typeof ENVIRONMENTS)[number];

/** The owner of a payment. Every lookup needs both fields (docs/promises.md#8). */
export interface Tenant {
  readonly environment: Environment;
  readonly merchantId: string;
}
