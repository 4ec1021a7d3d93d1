import { readFileSync } from 'node:fs';
import { parseAst } from 'vitest/node';
import { SOURCE_FILES } from './import-graph.ts';

/** Finds the values that the source writes into texts of SQL. */

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** Words that only SQL has, and conditions with a parameter. */
const SQL =
  /\b(?:SELECT|INSERT|UPDATE \S+ SET|DELETE FROM|WHERE|FROM|JOIN|ORDER BY|GROUP BY|LIMIT|VALUES|UNION|INDEXED BY|RETURNING|CASE WHEN|BETWEEN|EXISTS|AND|IS NULL|IN \(|CREATE TABLE|MATCH)\b|[=<>] ?\?|-> ?'|^= |^'\W*'$/;

/** The name of a constant of a module, by the convention that Biome checks. */
const CONSTANT = /^[A-Z][A-Z0-9_]*$/;

/** Methods whose result consists of the parts of their object and what their callback returns. */
const LIST_METHODS = new Set(['map', 'flatMap', 'filter', 'join', 'slice', 'toReversed']);

/** Without a database. */
const WITHOUT_SQL = /^src\/engine\/(?:rails|i18n|checkout)\//;

/** The values in texts of SQL that are no constants of the code, of each file that has any. */
export function valuesInSql(): readonly (readonly [
  file: string,
  expressions: readonly string[],
])[] {
  return SOURCE_FILES.filter((file) => !WITHOUT_SQL.test(file)).flatMap((file) => {
    const lang = file.endsWith('x') ? 'tsx' : 'ts';
    const found = new SqlTexts(readFileSync(file, 'utf8'), lang).found();
    return found.length === 0 ? [] : [[file, found] as const];
  });
}

/** One file. */
export class SqlTexts {
  readonly #source: string;
  readonly #program: Node;
  /** The node around each node. */
  readonly #parents = new Map<Node, Node>();
  readonly #known = new Map<Node, boolean>();

  constructor(source: string, lang: 'ts' | 'tsx') {
    this.#source = source;
    this.#program = parseAst(source, { lang }) as unknown as Node;
    this.#link(this.#program);
  }

  found(): readonly string[] {
    return [...this.#parents.keys()].flatMap((node) =>
      this.#isSql(node)
        ? partsOf(node)
            .filter((part) => !this.#isConstant(part))
            .map((part) => this.#textOf(part))
        : [],
    );
  }

  #link(node: Node): void {
    for (const child of childrenOf(node)) {
      this.#parents.set(child, node);
      this.#link(child);
    }
  }

  #textOf({ start, end }: Node): string {
    return this.#source.slice(start, end).replaceAll(/\s+/g, ' ');
  }

  #isSql(node: Node): boolean {
    if (node.type === 'TemplateLiteral') {
      return SQL.test((node.quasis as Node[]).map(cooked).join('_'));
    }
    const isOutermost = this.#parents.get(node)?.type !== 'BinaryExpression';
    return isConcatenation(node) && isOutermost && partsOf(node).some(isSqlText);
  }

  /** Whether an expression has only texts and numbers that the code contains. */
  #isConstant(node: Node | null | undefined): boolean {
    if (node === null || node === undefined) {
      return false;
    }
    // A function that calls itself adds nothing to what it is given.
    const known = this.#known.get(node) ?? true;
    if (!this.#known.has(node)) {
      this.#known.set(node, true);
      this.#known.set(node, this.#consistsOfConstants(node));
      return this.#known.get(node) === true;
    }
    return known;
  }

  #consistsOfConstants(node: Node): boolean {
    const all = (nodes: readonly unknown[]) => nodes.every((one) => this.#isConstant(one as Node));
    switch (node.type) {
      case 'Literal':
        return true;
      case 'TemplateLiteral':
        return all(node.expressions as Node[]);
      case 'ArrayExpression':
        return all(node.elements as Node[]);
      case 'SpreadElement':
        return this.#isConstant(node.argument as Node);
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'ParenthesizedExpression':
        return this.#isConstant(node.expression as Node);
      case 'BinaryExpression':
        return all([node.left, node.right]);
      case 'LogicalExpression':
        return all([node.left, node.right]);
      case 'ConditionalExpression':
        return all([node.consequent, node.alternate]);
      case 'Identifier':
        return this.#isConstantName(node);
      case 'MemberExpression':
        return CONSTANT.test(String((node.object as Node).name));
      case 'ArrowFunctionExpression':
        return this.#isConstant(node.body as Node);
      case 'CallExpression':
        return this.#isConstantCall(node);
      default:
        return false;
    }
  }

  #isConstantCall(node: Node): boolean {
    const callee = node.callee as Node;
    const args = node.arguments as readonly Node[];
    if (callee.type === 'Identifier') {
      return this.#returnsConstants(String(callee.name));
    }
    if (callee.type !== 'MemberExpression') {
      return false;
    }
    const method = String((callee.property as Node).name);
    const [first] = args;
    // A callback that returns a constant makes a constant of any list.
    const isMadeAnew = method === 'map' && this.#isConstant(first);
    const isOfConstants =
      LIST_METHODS.has(method) &&
      this.#isConstant(callee.object as Node) &&
      args.every((arg) => method === 'filter' || method === 'slice' || this.#isConstant(arg));
    return isMadeAnew || isOfConstants;
  }

  #isConstantName(node: Node): boolean {
    const name = String(node.name);
    if (CONSTANT.test(name)) {
      return true;
    }
    for (
      let around = this.#parents.get(node);
      around !== undefined;
      around = this.#parents.get(around)
    ) {
      if (
        around.type === 'ArrowFunctionExpression' &&
        namesIn(around.params as Node[]).includes(name)
      ) {
        return this.#isCallbackOfConstants(around);
      }
      if (
        around.type === 'FunctionDeclaration' &&
        namesIn(around.params as Node[]).includes(name)
      ) {
        return this.#isGivenConstants(around, name);
      }
      const body =
        around.type === 'BlockStatement' || around.type === 'Program'
          ? (around.body as Node[])
          : [];
      const declared = body
        .filter(({ type, kind }) => type === 'VariableDeclaration' && kind === 'const')
        .flatMap(({ declarations }) => declarations as Node[])
        .find(({ id }) => namesIn([id as Node]).includes(name));
      if (declared !== undefined) {
        return this.#isConstant(declared.init as Node);
      }
    }
    return false;
  }

  /** Whether a function of the file returns constants. Its parameters count as what its calls give. */
  #returnsConstants(name: string): boolean {
    const declared = this.#functions().find(({ id }) => (id as Node | null)?.name === name);
    const returned = [...this.#parents.keys()].filter(
      (node) => node.type === 'ReturnStatement' && this.#functionAround(node) === declared,
    );
    return (
      declared !== undefined &&
      returned.length > 0 &&
      returned.every(({ argument }) => this.#isConstant(argument as Node))
    );
  }

  /** Whether every call of a function that the file does not export gives constants for a parameter. */
  #isGivenConstants(declared: Node, name: string): boolean {
    const own = (declared.id as Node).name;
    const isExported = this.#parents.get(declared)?.type === 'ExportNamedDeclaration';
    const index = (declared.params as Node[]).findIndex(
      (param) => param.type === 'Identifier' && param.name === name,
    );
    const uses = [...this.#parents.keys()].filter(
      (node) => node.type === 'Identifier' && node.name === own && node !== declared.id,
    );
    return (
      !isExported &&
      index >= 0 &&
      uses.every((use) => {
        const call = this.#parents.get(use);
        return (
          call?.type === 'CallExpression' &&
          call.callee === use &&
          this.#isConstant((call.arguments as Node[])[index])
        );
      })
    );
  }

  #functions(): readonly Node[] {
    return [...this.#parents.keys()].filter(({ type }) => type === 'FunctionDeclaration');
  }

  #functionAround(node: Node): Node | undefined {
    let around = this.#parents.get(node);
    while (around !== undefined && !/Function/.test(around.type)) {
      around = this.#parents.get(around);
    }
    return around;
  }

  /** `CONSTANTS.map((one) => …)` */
  #isCallbackOfConstants(arrow: Node): boolean {
    const call = this.#parents.get(arrow);
    const callee = call?.type === 'CallExpression' ? (call.callee as Node) : null;
    return (
      callee?.type === 'MemberExpression' &&
      LIST_METHODS.has(String((callee.property as Node).name)) &&
      this.#isConstant(callee.object as Node)
    );
  }
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node)
    .flat()
    .filter(
      (child): child is Node => typeof child === 'object' && child !== null && 'type' in child,
    );
}

function cooked({ value }: Node): string {
  return (value as { readonly cooked: string }).cooked;
}

function isConcatenation(node: Node): boolean {
  return node.type === 'BinaryExpression' && node.operator === '+';
}

function partsOf(node: Node): readonly Node[] {
  if (node.type === 'TemplateLiteral') {
    return node.expressions as Node[];
  }
  return isConcatenation(node)
    ? [node.left, node.right].flatMap((one) => partsOf(one as Node))
    : [node];
}

function isSqlText(node: Node): boolean {
  return node.type === 'Literal' && typeof node.value === 'string' && SQL.test(node.value);
}

/** The names that parameters or a declaration introduce. */
function namesIn(patterns: readonly Node[]): readonly string[] {
  return patterns.flatMap((pattern) =>
    pattern.type === 'Identifier' ? [String(pattern.name)] : namesIn(childrenOf(pattern)),
  );
}
