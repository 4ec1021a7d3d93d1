/** The paths of the back office on a host that both planes share. */
export const OF_BACK_OFFICE = /^\/(?:$|(?:(?:dashboard|docs)(?:-assets)?|operator)(?:\/|$)|llms)/;
