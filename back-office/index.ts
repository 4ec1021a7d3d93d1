import { withCommonHeaders } from '../src/kit/http/common-headers.ts';
import { isHealth } from '../src/kit/http/health.ts';
import type { BackOfficeEnv } from './env.ts';

/** The cron of wrangler.toml that continues the day's backup. */
const HOURLY = '32 * * * *';

export default {
  fetch(request, env, ctx) {
    return withCommonHeaders(request, env, async (asked, requestId) => {
      const { router } = await areaOf(new URL(asked.url));
      return router.fetch(asked, env, ctx, requestId);
    });
  },
  async scheduled({ cron }, env) {
    if (cron === HOURLY) {
      const { exportDatabase } = await import('./backup.ts');
      await exportDatabase(env);
      return;
    }
    const { runDaily } = await import('./scheduled.ts');
    await runDaily(env, Date.now());
  },
} satisfies ExportedHandler<BackOfficeEnv>;

/**
 * An area loads with its first request. Wraps the router in an object, because itty-router treats
 * every property, even `then`, as an HTTP method, so `await` would call it.
 */
async function areaOf(url: URL) {
  const path = url.pathname;
  if (isUnder(path, '/dashboard') && !isHealth(url)) {
    return { router: (await import('./dashboard/router.ts')).dashboardRouter };
  }
  if (isUnder(path, '/operator')) {
    return { router: (await import('./operator/router.ts')).operatorRouter };
  }
  return { router: (await import('./home/router.tsx')).homeRouter };
}

function isUnder(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
