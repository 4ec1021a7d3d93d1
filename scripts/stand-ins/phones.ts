import { type Method, TRAITS } from '../../src/engine/domain/method.ts';
import { METHOD_NAMES } from '../../src/engine/i18n/methods.ts';
import { addisTime } from './clock.ts';
import { dayFile, dayFileReply, fileFormOf, profileOf } from './day-file.ts';
import { deskPage, LIVE_SCRIPT } from './desk.ts';
import {
  jsonReply,
  type ReceivedCall,
  type Reply,
  type StandIn,
  StandInServer,
} from './stand-in.ts';

const DAY = /^\d{4}-\d\d-\d\d$/;

type StandIns = ReadonlyMap<Method, Pick<StandIn, 'prompts' | 'dayLines'>>;

/**
 * One address for all phones: the prompts of every method that has them, and each provider's file of
 * the day.
 */
export function startPhones(standIns: StandIns, port = 0): Promise<StandInServer> {
  return StandInServer.start((call) => answer(standIns, call), port);
}

async function answer(
  standIns: StandIns,
  { method: verb, url, body }: ReceivedCall,
): Promise<Reply> {
  const { pathname, searchParams } = new URL(url, 'http://phones');
  if (verb === 'GET' && pathname === '/') {
    const orders = onPhones(standIns).flatMap(([method, { prompts }]) =>
      prompts
        .waiting()
        .map((order) => ({ ...order, from: METHOD_NAMES[method], action: `/${method}` })),
    );
    return deskPage('Phones', orders, filesHtml([...standIns.keys()]) + LIVE_SCRIPT);
  }
  const day = searchParams.get('day') ?? today();
  for (const [method, { dayLines }] of standIns) {
    if (verb === 'GET' && pathname === `/files/${method}.csv` && DAY.test(day)) {
      const isPlanned = searchParams.get('differences') !== 'none';
      const file = dayFile(dayLines(), day, fileFormOf(method), isPlanned);
      return dayFileReply(`${method}-${day}.csv`, file);
    }
    if (verb === 'GET' && pathname === `/files/${method}.json`) {
      return jsonReply(200, profileOf(fileFormOf(method)));
    }
  }
  for (const [method, { prompts }] of onPhones(standIns)) {
    if (verb === 'POST' && pathname === `/${method}` && (await prompts.press(body))) {
      return { type: 'answer', status: 303, headers: { location: '/' }, body: '' };
    }
  }
  return { type: 'answer', status: 404, body: 'No such prompt' };
}

function onPhones(standIns: StandIns) {
  return [...standIns].filter(([method]) => TRAITS[method].confirmsOn === 'phone');
}

function today(): string {
  return addisTime(Date.now()).slice(0, 10);
}

/** The links to today's files. */
function filesHtml(methods: readonly Method[]): string {
  const links = methods.map(
    (method) =>
      `<li>${METHOD_NAMES[method]}: <a href="/files/${method}.csv">file</a> <a href="/files/${method}.json">profile</a></li>`,
  );
  return `<footer><h2>The providers’ files of today, with planned differences</h2><ul>${links.join('')}</ul></footer>`;
}
