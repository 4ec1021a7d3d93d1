/*
 * Replaces, by [alias] in wrangler.toml, the packages that @simplewebauthn/server uses for X.509
 * certificates. They would add 38 KiB gzipped to a bundle whose budget is 250 KiB. The library has
 * no entry point without them: importing any of its functions loads them all.
 *
 * Omitting them is safe: only attestations by authenticator vendors contain certificates.
 * `verification.ts` requests none, and rejects a registration with a certificate before it calls
 * the library. If one got through, the missing functions would throw, which also rejects it. The
 * code that verifies passkey signatures (WebCrypto and other packages) stays in the bundle.
 *
 * This is a CommonJS module, because bundlers do not check its export names at build time. While
 * the library loads, it uses only one export. `test/unit/passkey-bundle.test.ts` runs the bundled
 * library.
 */
module.exports = { AlgorithmIdentifier: class {} };
