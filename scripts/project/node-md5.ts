/**
 * Adds MD5 to Node's Web Crypto, for programs that run CBE Birr's adapter in Node. Cloudflare's Web
 * Crypto has MD5, and Node's refuses it. A gateway never loads this module.
 */
import { createHash } from 'node:crypto';

const digest = crypto.subtle.digest.bind(crypto.subtle);

crypto.subtle.digest = async (algorithm, data) => {
  if (algorithm !== 'MD5') {
    return digest(algorithm, data);
  }
  const bytes = await new Blob([data]).bytes();
  return new Uint8Array(createHash('md5').update(bytes).digest()).buffer;
};
