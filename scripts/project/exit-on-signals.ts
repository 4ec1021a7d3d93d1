/** Ends this process by `exit` on a signal, so that its handlers of `exit` clean up. */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(1));
}
