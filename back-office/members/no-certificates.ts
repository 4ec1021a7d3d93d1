/**
 * Replaces, by [alias] in wrangler.toml, what the passkey library does with certificates of
 * authenticators' makers: their root certificates, which are 9 KiB gzipped that do not compress,
 * and the code that checks them, another 4 KiB. Kefel asks for no attestation and refuses
 * certificates (`verification.ts`). If one got through, these functions would reject it.
 */
export const SettingsService = {
  getRootCertificates: (): string[] => [],
  /** workerd verifies no signatures by post-quantum algorithms, and Kefel offers none. */
  runtimeSupportsPQC: (): boolean => false,
};

export const MetadataService = { getStatement: refuse };

export {
  refuse as convertX509PublicKeyToCOSE,
  refuse as isCertRevoked,
  refuse as validateCertificatePath,
};

function refuse(): never {
  throw new Error('certificates are not supported');
}
