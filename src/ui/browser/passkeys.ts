import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import { announce } from './announce.ts';

/** What can go wrong here. The form has a data attribute with a message for each. */
type Problem = 'unsupported' | 'canceled' | 'known' | 'failed' | 'network' | 'busy';

const TOO_MANY_REQUESTS = 429;

/** The names of the browser's own errors. */
const PROBLEM_BY_NAME: Readonly<Record<string, Problem>> = {
  NotAllowedError: 'canceled',
  AbortError: 'canceled',
  InvalidStateError: 'known',
  NotSupportedError: 'unsupported',
  ConstraintError: 'unsupported',
};

/** Forms that use a passkey: to sign in, to join, to add a passkey, to refund. */
export function passkeyForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
    if (!browserSupportsWebAuthn()) {
      show(form, form.dataset.unsupported);
      continue;
    }
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void carryOut(form);
    });
  }
}

async function carryOut(form: HTMLFormElement): Promise<void> {
  const buttons = form.querySelectorAll('button');
  show(form, undefined);
  announce(form.dataset.working ?? '');
  for (const button of buttons) {
    button.disabled = true;
  }
  const problem = await attempt(form);
  if (problem !== null) {
    for (const button of buttons) {
      button.disabled = false;
    }
    show(form, problem);
  }
}

/**
 * Runs the whole ceremony. Returns a message if it failed, or null when the next page is loading.
 */
async function attempt(form: HTMLFormElement): Promise<string | null> {
  const { passkey, path = '', next = '' } = form.dataset;
  const options = await post(form, `${path}/options`);
  if (typeof options === 'string') {
    return options;
  }
  let credential: unknown;
  try {
    const optionsJSON = await options.json();
    credential =
      passkey === 'sign-in' || passkey === 'refund'
        ? await startAuthentication({ optionsJSON })
        : await startRegistration({ optionsJSON });
  } catch (error) {
    return inWords(form, problemOf(error));
  }
  const done = await post(form, path, credential);
  if (typeof done === 'string') {
    return done;
  }
  location.assign(next);
  return null;
}

/** The response, or a message about what was wrong with it. */
async function post(
  form: HTMLFormElement,
  path: string,
  credential?: unknown,
): Promise<Response | string> {
  let response: Response;
  try {
    response = await fetch(path, { method: 'POST', ...bodyOf(form, credential) });
  } catch {
    return inWords(form, 'network');
  }
  if (response.ok) {
    return response;
  }
  if (response.status === TOO_MANY_REQUESTS) {
    return inWords(form, 'busy');
  }
  try {
    const { message } = await response.json();
    return String(message);
  } catch {
    // A page instead of our JSON: the server failed, or the form is out of date.
    return inWords(form, 'failed');
  }
}

/** A signed-in member's form is sent as a form with its CSRF token, everything else as JSON. */
function bodyOf(form: HTMLFormElement, credential: unknown): RequestInit {
  const data = new FormData(form);
  if (data.has('csrf')) {
    const fields = new URLSearchParams();
    data.forEach((value, name) => {
      fields.set(name, String(value));
    });
    if (credential !== undefined) {
      fields.set('credential', JSON.stringify(credential));
    }
    return { body: fields };
  }
  const body: Record<string, unknown> = { credential };
  data.forEach((value, name) => {
    body[name] = value;
  });
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function problemOf(error: unknown): Problem {
  const name = error instanceof Error ? error.name : '';
  return PROBLEM_BY_NAME[name] ?? 'failed';
}

function inWords(form: HTMLFormElement, problem: Problem): string {
  return form.dataset[problem] ?? '';
}

/** Its role announces it to screen readers. */
function show(form: HTMLFormElement, text: string | undefined): void {
  const place = document.getElementById(form.dataset.problem ?? '');
  if (place !== null) {
    place.hidden = text === undefined;
    place.textContent = text ?? '';
  }
}
