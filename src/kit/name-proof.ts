/** What proves an operator's name: Cloudflare Access, or a secret that only one person has. */
export const NAME_PROOFS = ['access', 'secret'] as const;
export type NameProof = (typeof NAME_PROOFS)[number];
