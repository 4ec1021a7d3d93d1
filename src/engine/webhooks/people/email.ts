import { failed, NO_ANSWER, type Sent, TRY_TIMEOUT_MS } from './sent.ts';
import type { Mailbox } from './settings.ts';

/** Sends one e-mail by Cloudflare's binding. Never throws, and the error has no address. */
export async function sendEmail(
  { binding, from }: Mailbox,
  to: string,
  { title, text }: { readonly title: string; readonly text: string },
): Promise<Sent> {
  const signal = AbortSignal.timeout(TRY_TIMEOUT_MS);
  const silence = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => silence.reject(signal.reason), { once: true });
  try {
    // The binding takes no signal, and must not hold up the other messages.
    await Promise.race([binding.send({ from, to, subject: title, text }), silence.promise]);
    return { type: 'sent' };
  } catch (error) {
    if (signal.aborted) {
      return failed(NO_ANSWER);
    }
    const code = String(Reflect.get(Object(error), 'code') ?? 'no code');
    const isRefused = /^E_(?:SENDER|RECIPIENT)_/.test(code);
    return isRefused ? { type: 'refused', error: code } : failed(code);
  }
}
