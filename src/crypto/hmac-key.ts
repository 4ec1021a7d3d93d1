import { bytesFromBase64 } from './encoding.ts';
import { importOnce } from './import-once.ts';

/** A key of the ring for HMAC-SHA-256. What is signed begins with its purpose, so that none serves another. */
export const hmacKey = importOnce(({ base64 }) => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const usages: KeyUsage[] = ['sign', 'verify'];
  return crypto.subtle.importKey('raw', bytesFromBase64(base64), algorithm, false, usages);
});
