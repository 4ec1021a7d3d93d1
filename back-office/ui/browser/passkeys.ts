import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';
import { announce } from './announce.ts';
import { markField } from './fields.ts';

/** What can go wrong here. The form has a data attribute with a message for each. */
type Problem = 'unsupported' | 'canceled' | 'known' | 'failed' | 'network' | 'busy';

const NO_CONTENT = 204;
const TOO_MANY_REQUESTS = 429;

/** Confirmed by a passkey of the member's: what the browser needs to create another one. */
const offers = new WeakMap<HTMLFormElement, Response>();

/** The names of the browser's own errors. */
const PROBLEM_BY_NAME: Readonly<Record<string, Problem>> = {
  NotAllowedError: 'canceled',
  AbortError: 'canceled',
  InvalidStateError: 'known',
  NotSupportedError: 'unsupported',
  ConstraintError: 'unsupported',
};

/** Forms that use a passkey: to sign in, to join, to add one, and to confirm what matters. */
export function passkeyForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
    if (!browserSupportsWebAuthn()) {
      if (!isAnsweredByPage(form)) {
        show(form, form.dataset.unsupported);
      }
      continue;
    }
    form.hidden = false;
    // The passkey has confirmed the values that the fields had then.
    form.addEventListener('input', () => offers.delete(form));
    form.addEventListener('submit', (event) => {
      if (!event.defaultPrevented) {
        event.preventDefault();
        void carryOut(form);
      }
    });
  }
}

/** The browser sends it as a form, with the passkey's signature if the server asks for one. */
function isAnsweredByPage(form: HTMLFormElement): boolean {
  return form.dataset.next === undefined;
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
  const options = await optionsFor(form);
  if (typeof options === 'string') {
    return options;
  }
  if (options.status === NO_CONTENT) {
    form.submit();
    return null;
  }
  const creates = passkey === 'add-passkey' || passkey === 'join';
  const answer = await ask(form, options, creates ? startRegistration : startAuthentication);
  if (typeof answer === 'string') {
    return answer;
  }
  offers.delete(form);
  if (isAnsweredByPage(form)) {
    sendWith(form, answer.credential);
    return null;
  }
  const done = await post(form, path, answer.credential);
  if (typeof done === 'string') {
    return done;
  }
  location.assign(next);
  return null;
}

/**
 * What to ask the browser's passkeys for, or a message. A passkey is added only after another one has
 * confirmed it. Safari may want a new click between the two: the form then goes on from here.
 */
async function optionsFor(form: HTMLFormElement): Promise<Response | string> {
  const { passkey, path = '' } = form.dataset;
  if (passkey !== 'add-passkey') {
    return post(form, `${path}/options`);
  }
  const offered = offers.get(form);
  if (offered !== undefined) {
    return offered;
  }
  const asked = await post(form, `${path}/confirm`);
  const answer = typeof asked === 'string' ? asked : await ask(form, asked, startAuthentication);
  if (typeof answer === 'string') {
    return answer;
  }
  const options = await post(form, `${path}/options`, answer.credential);
  if (typeof options !== 'string') {
    offers.set(form, options);
  }
  return options;
}

/** The passkey's answer, or a message. */
async function ask<Options>(
  form: HTMLFormElement,
  options: Response,
  start: (options: { optionsJSON: Options }) => Promise<unknown>,
): Promise<{ readonly credential: unknown } | string> {
  try {
    return { credential: await start({ optionsJSON: await options.clone().json() }) };
  } catch (error) {
    return inWords(form, problemOf(error));
  }
}

function sendWith(form: HTMLFormElement, credential: unknown): void {
  const field = document.createElement('input');
  field.type = 'hidden';
  field.name = 'credential';
  field.value = JSON.stringify(credential);
  form.append(field);
  form.submit();
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
    const { message, field } = await response.json();
    return isMarked(form, field, String(message)) ? '' : String(message);
  } catch {
    // A page instead of our JSON: the server failed, or the form is out of date.
    return inWords(form, 'failed');
  }
}

/** Shows the problem at the field that the server names. False when the form has no such field. */
function isMarked(form: HTMLFormElement, name: unknown, message: string): boolean {
  const field = form.elements.namedItem(String(name));
  if (!(field instanceof HTMLInputElement)) {
    return false;
  }
  markField(field, message);
  field.focus();
  return true;
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
    place.hidden = !text;
    place.textContent = text ?? '';
  }
}
