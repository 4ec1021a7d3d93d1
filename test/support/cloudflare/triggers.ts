import { type Account, newId, zoneOf } from './account.ts';
import { ApiError, type Call, type Handlers, jsonOf } from './api.ts';
import { scriptOf } from './versions.ts';

const WORKERS = '/accounts/{account}/workers';
const SCRIPT = `${WORKERS}/scripts/{script}`;

interface Origin {
  readonly hostname: string;
  readonly zone_id?: string;
  readonly zone_name?: string;
}

interface Records {
  readonly override_existing_origin: boolean;
  readonly override_existing_dns_record: boolean;
  readonly origins: readonly Origin[];
}

interface RouteOfWrangler {
  readonly pattern: string;
  readonly zone_name?: string;
}

/** What makes a Worker run: schedules, custom domains and routes. */
export function triggerHandlers(account: Account): Handlers {
  const find = (call: Call) => scriptOf(account, call);
  const zoneFor = (hostname: string) => {
    const zone = zoneOf(account, hostname);
    if (zone === null || account.foreignHostnames.has(hostname)) {
      throw new ApiError(100116, `No zone of this account serves ${hostname}`);
    }
    return zone;
  };
  return {
    [`GET ${SCRIPT}/schedules`]: (call) => ({
      schedules: find(call).schedules.map((cron) => ({ cron })),
    }),
    [`PUT ${SCRIPT}/schedules`]: (call) => {
      const { schedules } = find(call);
      const given = jsonOf<readonly { cron: string }[]>(call);
      schedules.splice(0, schedules.length, ...given.map(({ cron }) => cron));
      return { schedules: given };
    },
    [`POST ${SCRIPT}/domains/changeset`]: (call) => {
      const script = find(call);
      const origins = jsonOf<readonly Origin[]>(call);
      const others = origins.filter(({ hostname }) => {
        const domain = account.domains.find((known) => known.hostname === hostname);
        return domain !== undefined && domain.service !== script.name;
      });
      const records = origins.filter(({ hostname }) => account.dnsRecords.has(hostname));
      return {
        added: origins.filter(
          ({ hostname }) => !account.domains.some((domain) => domain.hostname === hostname),
        ),
        removed: [],
        updated: others.map((origin) => ({
          ...origin,
          modified: true,
          external_dns_record_id: null,
        })),
        conflicting: records.map((origin) => ({ ...origin, external_dns_record_id: newId() })),
      };
    },
    [`PUT ${SCRIPT}/domains/records`]: (call) => {
      const script = find(call);
      const given = jsonOf<Records>(call);
      const added = given.origins.map(({ hostname }) => {
        const zone = zoneFor(hostname);
        if (account.dnsRecords.has(hostname) && !given.override_existing_dns_record) {
          throw new ApiError(100117, `${hostname} has a DNS record that is not a Worker's`);
        }
        return {
          id: newId(),
          hostname,
          service: script.name,
          environment: 'production',
          zone_id: zone.id,
          zone_name: zone.name,
        };
      });
      const hostnames = added.map(({ hostname }) => hostname);
      const others = account.domains.filter(
        ({ hostname, service }) => service !== script.name && !hostnames.includes(hostname),
      );
      account.domains.splice(0, account.domains.length, ...others, ...added);
      return added;
    },
    [`GET ${WORKERS}/domains`]: () => account.domains,
    [`DELETE ${WORKERS}/domains/{domain}`]: ({ params }) => {
      const index = account.domains.findIndex(({ id }) => id === params.domain);
      account.domains.splice(index, index < 0 ? 0 : 1);
      return null;
    },
    [`PUT ${SCRIPT}/routes`]: (call) => {
      const script = find(call);
      const added = jsonOf<readonly (string | RouteOfWrangler)[]>(call).map((route) => {
        const pattern = typeof route === 'string' ? route : route.pattern;
        const zone = zoneFor(pattern.split('/')[0] ?? '');
        return { id: newId(), pattern, script: script.name, zone_name: zone.name };
      });
      const others = account.routes.filter((route) => route.script !== script.name);
      account.routes.splice(0, account.routes.length, ...others, ...added);
      return added;
    },
    'GET /zones/{zone}/workers/routes': ({ params }) => {
      const zone = account.zones.find(({ id }) => id === params.zone);
      return account.routes.filter(({ zone_name }) => zone_name === zone?.name);
    },
    'DELETE /zones/{zone}/workers/routes/{route}': ({ params }) => {
      const index = account.routes.findIndex(({ id }) => id === params.route);
      account.routes.splice(index, index < 0 ? 0 : 1);
      return null;
    },
  };
}
