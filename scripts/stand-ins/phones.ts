import type { Method } from '../../src/engine/domain/method.ts';
import { METHOD_NAMES } from '../../src/engine/i18n/methods.ts';
import { deskPage } from './desk.ts';
import { type Prompts, type ReceivedCall, type Reply, StandInServer } from './stand-in.ts';

/** Shows new prompts without a reload. Forms that someone is using stay. */
const SCRIPT = `<script>
setInterval(async () => {
  const list = document.querySelector('[aria-live]');
  const answer = await fetch('/').catch(() => null);
  if (answer === null) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const next = page.querySelector('[aria-live]').innerHTML;
  if (list.innerHTML !== next && !list.contains(document.activeElement)) list.innerHTML = next;
}, 2000);
</script>`;

/** One address for all phones: the prompts of every method that has them. */
export function startPhones(
  prompts: ReadonlyMap<Method, Prompts>,
  port = 0,
): Promise<StandInServer> {
  return StandInServer.start((call) => answer(prompts, call), port);
}

async function answer(
  prompts: ReadonlyMap<Method, Prompts>,
  { method: verb, url, body }: ReceivedCall,
): Promise<Reply> {
  if (verb === 'GET' && url === '/') {
    const orders = [...prompts].flatMap(([method, { waiting }]) =>
      waiting().map((order) => ({ ...order, from: METHOD_NAMES[method], action: `/${method}` })),
    );
    return deskPage('Phones', orders, SCRIPT);
  }
  for (const [method, { press }] of prompts) {
    if (verb === 'POST' && url === `/${method}` && (await press(body))) {
      return { type: 'answer', status: 303, headers: { location: '/' }, body: '' };
    }
  }
  return { type: 'answer', status: 404, body: 'No such prompt' };
}
