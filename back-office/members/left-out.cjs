/*
 * Replaces, by [alias] in wrangler.toml, the packages that @simplewebauthn/server uses for X.509
 * certificates and ASN.1. They would add 65 KiB gzipped to a bundle whose budget is 300 KiB. The
 * library has no entry point without them: importing any of its functions loads them all.
 *
 * Kefel needs one thing of them: the numbers of an ECDSA signature, which `AsnParser` reads here.
 *
 * Omitting the rest is safe: only attestations by authenticator vendors contain certificates.
 * `verification.ts` requests none, and rejects a registration with a certificate before it calls
 * the library. If one got through, the missing functions would throw, which also rejects it. The
 * code that verifies passkey signatures (WebCrypto and other packages) stays in the bundle.
 *
 * This is a CommonJS module, because bundlers do not check its export names at build time.
 * `test/unit/back-office/passkey-bundle.test.ts` runs the bundled library.
 */
const { parseEcdsaSignature } = require('./ecdsa-signature.ts');

class ECDSASigValue {}

const AsnParser = {
  parse(bytes, schema) {
    if (schema !== ECDSASigValue) {
      throw new Error('certificates are not supported');
    }
    return parseEcdsaSignature(bytes);
  },
};

module.exports = { AsnParser, ECDSASigValue };
