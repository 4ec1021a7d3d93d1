import type { NewWebhookEndpoint, WebhookEndpoint } from '../typescript/kefel.ts';
import { accessOf, clientOf } from './access.ts';
import { type Command, UsageError } from './command.ts';
import { inOneLine, print } from './output.ts';

export const endpoints: Command = {
  arguments: '[ID]',
  argumentsMin: 0,
  argumentsMax: 1,
  summary: 'List webhook endpoints, show one, add or delete one',
  about: `ID: we_…, of an endpoint. Without an ID it lists all, or adds one.`,
  options: {
    add: { value: 'URL', about: 'add an endpoint: prints its secret, which no other call shows' },
    event: {
      value: 'TYPE',
      about: 'an event that a new endpoint takes, such as PAYMENT_SUCCESS (default: all)',
      isRepeatable: true,
    },
    description: { value: 'TEXT', about: 'of a new endpoint' },
    delete: { value: null, about: 'delete the endpoint ID' },
    json: { value: null, about: 'print the answer as JSON, for programs' },
  },
  async run(given) {
    const [id] = given.arguments;
    const url = given.text('add');
    const isDeleting = given.has('delete');
    if ((id === undefined && isDeleting) || (id !== undefined && url !== undefined)) {
      throw new UsageError('Write: kefel endpoints --add URL, or kefel endpoints ID --delete');
    }
    const { webhookEndpoints } = clientOf(await accessOf(given));
    const isJson = given.has('json');
    if (url !== undefined) {
      const eventTypes = given.texts('event') as NonNullable<NewWebhookEndpoint['eventTypes']>;
      const description = given.text('description') ?? null;
      const added = await webhookEndpoints.create({ url, eventTypes, description });
      const secret = `Its secret, which no other call shows: ${added.secret}`;
      print(isJson ? json(added) : `${lineOf(added)}\n${secret}`);
    } else if (id === undefined) {
      const all = await webhookEndpoints.list();
      print(isJson ? json(all) : all.map(lineOf).join('\n') || 'None.');
    } else {
      const endpoint = await (isDeleting ? webhookEndpoints.delete(id) : webhookEndpoints.get(id));
      print(isDeleting && !isJson ? `${endpoint.id}: deleted` : json(endpoint));
    }
  },
};

function lineOf({ id, url, eventTypes, description, enabled, paused }: WebhookEndpoint): string {
  const state = paused ? 'paused' : enabled ? 'enabled' : 'disabled';
  const types = eventTypes.length === 0 ? 'all events' : eventTypes.join(', ');
  return [id, state, url, types, description].map(inOneLine).join('  ').trimEnd();
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
