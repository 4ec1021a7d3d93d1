/**
 * In the bundle this stands for what the passkey library brings to judge certificates of
 * authenticators' makers: some 80 KiB that nothing here uses. We ask for no attestation, and one
 * with certificates is refused before the library sees it (`verification.ts`). `[alias]` in
 * wrangler.toml puts it there; tests in Node and workerd run the library whole.
 */
class LeftOut {
  constructor() {
    throw new Error('attestation with certificates is not verified here');
  }
}

function leftOut(): never {
  throw new Error('attestation with certificates is not verified here');
}

// Of @peculiar/x509, asn1-rsa and asn1-android.
export {
  LeftOut as AuthorityKeyIdentifierExtension,
  LeftOut as CRLDistributionPointsExtension,
  LeftOut as KeyDescription,
  LeftOut as RSAPublicKey,
  LeftOut as SubjectKeyIdentifierExtension,
  LeftOut as X509Certificate,
  LeftOut as X509ChainBuilder,
  LeftOut as X509Crl,
};

export const id_ce_keyDescription = '';
export const id_rsaEncryption = '';
export const id_sha1WithRSAEncryption = '';
export const id_sha256WithRSAEncryption = '';
export const id_sha384WithRSAEncryption = '';
export const id_sha512WithRSAEncryption = '';

// Of the library's own modules, one for each maker's format.
export {
  leftOut as verifyAttestationAndroidKey,
  leftOut as verifyAttestationAndroidSafetyNet,
  leftOut as verifyAttestationApple,
  leftOut as verifyAttestationFIDOU2F,
  leftOut as verifyAttestationTPM,
};

// Of its root certificates.
export const Apple_WebAuthn_Root_CA = '';
export const GlobalSign_Root_CA = '';
export const GlobalSign_Root_CA_R3 = '';
export const GlobalSign_Root_R46 = '';
export const Google_Hardware_Attestation_Root_1 = '';
export const Google_Hardware_Attestation_Root_2 = '';
export const Google_Hardware_Attestation_Root_3 = '';
export const Google_Hardware_Attestation_Root_4 = '';
