/**
 * Replaces, by [alias] in wrangler.toml, the passkey library's settings, which hold the root
 * certificates of authenticators' makers: 9 KiB gzipped that do not compress. Kefel asks for no
 * attestation and refuses certificates (`verification.ts`), so it needs none of them.
 */
export const SettingsService = {
  getRootCertificates: (): string[] => [],
  /** workerd verifies no signatures by post-quantum algorithms, and Kefel offers none. */
  runtimeSupportsPQC: (): boolean => false,
};
