/**
 * `npm run lab -- gallery [--port N]`: serves every state of every page, and every component, to people
 * who change them. It is the gallery of the tests and is never deployed.
 */
import { once } from 'node:events';
import { runLabScript } from '../../lab/harness/script.ts';
import { numberOption } from '../../scripts/project/options.ts';
import { bundledGallery } from './bundled-gallery.ts';

const SCRIPT = {
  usage: 'npm run lab -- gallery',
  about: 'Serves every state of every page, and every component.',
  options: { port: numberOption('PORT', 'where it listens', 8_795) },
};

await runLabScript(SCRIPT, async ({ port }) => {
  const { startWholeGallery } = await bundledGallery();
  const { baseUrl } = await startWholeGallery(port);
  console.log(`${baseUrl}/ has a link to each state. Ctrl-C stops it.`);
  await once(process, 'SIGINT');
  return true;
});
