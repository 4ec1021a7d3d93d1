import { unstable_splitSqlQuery } from 'wrangler';
import type { SqlStatement } from '../../../src/kit/platform/database.ts';
import { type Account, type Database, newUuid, now } from './account.ts';
import { ApiError, type Call, type Handlers, jsonOf, page } from './api.ts';
import type { Runtime } from './runtime.ts';

const D1 = '/accounts/{account}/d1/database';

interface NewDatabase {
  readonly name: string;
  readonly primary_location_hint?: string;
  readonly jurisdiction?: string;
}

interface Query {
  readonly sql: string;
  readonly params?: SqlStatement['params'];
}

/** Databases of D1. Their statements run on the D1 of workerd. */
export function d1Handlers(account: Account, runtime: Runtime): Handlers {
  const find = ({ params }: Call): Database => {
    const { databases } = account;
    const found = databases.find(({ uuid, name }) => [uuid, name].includes(params.database ?? ''));
    if (found === undefined) {
      throw new ApiError(7404, `The database ${params.database} could not be found`, 404);
    }
    return found;
  };
  return {
    [`GET ${D1}`]: ({ query }) => {
      const name = query.get('name');
      return page(
        account.databases.filter((database) => name === null || database.name === name),
        query,
      );
    },
    [`POST ${D1}`]: (call) => {
      const given = jsonOf<NewDatabase>(call);
      if (account.databases.some(({ name }) => name === given.name)) {
        throw new ApiError(7502, `A database with the name '${given.name}' already exists`);
      }
      if (account.databases.length >= account.databasesMax) {
        throw new ApiError(7406, 'You have reached the maximum number of databases');
      }
      const database: Database = {
        uuid: newUuid(),
        name: given.name,
        created_at: now(),
        version: 'production',
        jurisdiction: given.jurisdiction ?? null,
        primary_location_hint: given.primary_location_hint ?? null,
      };
      account.databases.push(database);
      return database;
    },
    [`GET ${D1}/{database}`]: (call) => ({ ...find(call), num_tables: 0, file_size: 0 }),
    [`DELETE ${D1}/{database}`]: (call) => {
      account.databases.splice(account.databases.indexOf(find(call)), 1);
      return null;
    },
    [`POST ${D1}/{database}/query`]: async (call) => {
      const { sql, params = [] } = jsonOf<Query>(call);
      const database = runtime.database(find(call).uuid);
      try {
        // D1 runs the statements of one call as one transaction.
        return await database.batch(
          unstable_splitSqlQuery(sql).map((statement) => ({ sql: statement, params })),
        );
      } catch (error) {
        throw new ApiError(7500, error instanceof Error ? error.message : String(error));
      }
    },
  };
}
