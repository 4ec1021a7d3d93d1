/*
 * Stands in the bundle, by [alias] in wrangler.toml, for the packages with which
 * @simplewebauthn/server reads and checks X.509 certificates: 38 KiB gzipped of the 250 that a
 * deployment may have. The library has no entry point without them, and an import of one of its
 * functions loads them all.
 *
 * Leaving them out is safe: only the attestations of authenticators' makers hold certificates.
 * `verification.ts` asks for none and rejects a registration that brings one before the library
 * sees it. If one got through, the missing functions would throw, which rejects it as well.
 * Signatures of passkeys are verified by WebCrypto and packages that stay in the bundle.
 *
 * A CommonJS module, because its imports are looked up only when they are used. While it loads, the
 * library uses a single one. `test/unit/passkey-bundle.test.ts` runs the library as bundled.
 */
module.exports = { AlgorithmIdentifier: class {} };
