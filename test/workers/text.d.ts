/** A fixture as text. */
declare module '*.xml?raw' {
  const text: string;
  export default text;
}

declare module '*.md?raw' {
  const text: string;
  export default text;
}
