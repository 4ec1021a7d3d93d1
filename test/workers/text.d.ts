/** A fixture as text. */
declare module '*.xml?raw' {
  const text: string;
  export default text;
}
