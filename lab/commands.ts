/** What `npm run lab -- NAME` runs: the file, below the project's folder, and what it does. */
export const LAB = {
  simulate: ['lab/simulate.ts', 'plays histories with faults'],
  chaos: ['lab/chaos.ts', 'kills the gateway under load and looks for losses'],
  drill: ['lab/drill.ts', 'loses a whole gateway, restores it and compares everything'],
  fuzz: ['lab/fuzz.ts', 'sends mutated requests to every route'],
  mutants: ['lab/mutants.ts', 'plants bugs that tests must catch'],
  'mutation-score': ['lab/mutation-score.ts', 'makes mutations that tests must notice'],
  compatibility: ['lab/compatibility.ts', "runs a commit's Workers beside those of your folder"],
  wire: ['lab/wire.ts', 'makes generated clients compile and pay'],
  packages: ['lab/packages.ts', "installs each client's package and makes a first payment"],
  bundle: ['scripts/bundle-size.ts', "compares the bundle's size with its budgets"],
  bench: ['lab/bench.ts', 'measures speed and processor time'],
  'measure-books': ['lab/measure-books.ts', 'measures a book of a million payments'],
  'page-speed': ['lab/page-speed.ts', 'measures how long a slow phone waits for the page'],
  screenshots: ['lab/screenshots.ts', 'makes the pictures in docs/images'],
  gallery: ['test/support/serve-gallery.ts', 'serves every state of every page and component'],
  'page-matrix': [
    'test/support/page-matrix.ts',
    'looks at every state of every page in all languages, themes and widths',
  ],
  cloudflare: ['test/support/cloudflare/rehearse.ts', 'starts a local Cloudflare'],
} as const satisfies Readonly<Record<string, readonly [file: string, does: string]>>;
