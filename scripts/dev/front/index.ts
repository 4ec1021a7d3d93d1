import { OF_BACK_OFFICE } from './paths.ts';

/** Both planes on one port, for development: a deployment has zone routes or two hosts instead. */

interface Planes {
  readonly PAYMENTS: Fetcher;
  readonly BACK_OFFICE: Fetcher;
}

export default {
  fetch(request, { PAYMENTS, BACK_OFFICE }) {
    const { pathname } = new URL(request.url);
    return (OF_BACK_OFFICE.test(pathname) ? BACK_OFFICE : PAYMENTS).fetch(request);
  },
} satisfies ExportedHandler<Planes>;
