/** Edits one entry, or one item of a list, in a JSON file with comments; every other byte stays as it is. */
import { findNodeAtLocation, type Node, type ParseError, parse, parseTree, printParseErrorCode } from 'jsonc-parser';
import { isJsonObject, type JsonObject } from '../../base/index.ts';
import { UnreadableFile } from './unreadable-file.ts';

const MARK = '\ufeff';
type JsonValue = JsonObject | unknown[];

const LENIENT = { allowTrailingComma: true, disallowComments: false };

/** Throws UnreadableFile for what is no JSON object. An empty file counts as an empty object. */
export function readJson(text: string): JsonObject {
  const body = text.startsWith(MARK) ? text.slice(1) : text;
  if (body.trim() === '') return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(body, errors, LENIENT);
  const [first] = errors;
  if (first !== undefined) {
    throw new UnreadableFile(lineOf(body, first.offset), printParseErrorCode(first.error));
  }
  if (!isJsonObject(value)) throw new UnreadableFile(1, 'the file holds no object');
  return value;
}

/** Puts `entry` at `path`, or removes what is there when it is undefined. */
export function editJson(text: string, path: readonly string[], entry: JsonValue | undefined): string {
  const mark = text.startsWith(MARK) ? MARK : '';
  const body = text.slice(mark.length);
  if (body.trim() === '') {
    return entry === undefined ? text : `${mark}${JSON.stringify(nest(path, entry), null, 2)}\n`;
  }
  const root = parseTree(body, [], LENIENT);
  if (root === undefined) throw new UnreadableFile(1, 'the file holds no object');
  const found = findNodeAtLocation(root, [...path]);
  const edit =
    entry === undefined
      ? found && removal(body, found)
      : found === undefined
        ? insertion(body, root, path, entry)
        : { start: found.offset, end: endOf(found), text: format(body, entry, found) };
  if (edit === undefined) return text;
  return mark + body.slice(0, edit.start) + edit.text + body.slice(edit.end);
}

/** Puts `item` at the end of the list at `path`, which must be there. */
export function appendItem(text: string, path: readonly string[], item: JsonObject): string {
  const list = listAt(text, path);
  const last = list.node.children?.at(-1);
  if (last !== undefined) {
    const { body } = list;
    const isOneLine = !body.slice(list.node.offset, last.offset).includes('\n');
    const lead = isOneLine ? ', ' : `,${eolOf(body)}${indentOf(body, last.offset)}`;
    const written = isOneLine ? JSON.stringify(item) : indented(body, item, indentOf(body, last.offset));
    return list.replace({ start: endOf(last), end: endOf(last), text: lead + written });
  }
  return editJson(text, path, [item]);
}

/** Takes the item at `index` out of the list at `path`. */
export function removeItem(text: string, path: readonly (string | number)[], index: number): string {
  const list = listAt(text, path);
  const items = list.node.children ?? [];
  const [item, before, after] = [items[index], items[index - 1], items[index + 1]];
  if (item === undefined) return text;
  if (after !== undefined) return list.replace({ start: item.offset, end: after.offset, text: '' });
  if (before !== undefined) return list.replace({ start: endOf(before), end: endOf(item), text: '' });
  return list.replace({ start: item.offset, end: endOf(item), text: '' });
}

function listAt(text: string, path: readonly (string | number)[]) {
  const mark = text.startsWith(MARK) ? MARK : '';
  const body = text.slice(mark.length);
  const root = parseTree(body, [], LENIENT);
  const node = root && findNodeAtLocation(root, [...path]);
  if (node?.type !== 'array') {
    throw new UnreadableFile(lineOf(body, node?.offset ?? 0), `${path.join('.')} is no list`);
  }
  const replace = (edit: Edit) => mark + body.slice(0, edit.start) + edit.text + body.slice(edit.end);
  return { body, node, replace };
}

interface Edit {
  start: number;
  end: number;
  text: string;
}

const endOf = (node: Node) => node.offset + node.length;
const nest = (path: readonly string[], entry: JsonValue): JsonValue =>
  path.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), entry);

function insertion(text: string, root: Node, path: readonly string[], entry: JsonValue): Edit {
  let depth = path.length - 1;
  let parent = findNodeAtLocation(root, path.slice(0, depth));
  while (parent === undefined) parent = findNodeAtLocation(root, path.slice(0, --depth));
  if (parent.type !== 'object') {
    throw new UnreadableFile(lineOf(text, parent.offset), `${path.slice(0, depth).join('.')} is no object`);
  }
  const [key = '', ...rest] = path.slice(depth);
  const value = nest(rest, entry);
  const last = parent.children?.at(-1);
  if (last === undefined) {
    const inside = text.slice(parent.offset + 1, endOf(parent) - 1);
    const outer = indentOf(text, parent.offset);
    const inner = outer + unitOf(text);
    const property = `${JSON.stringify(key)}: ${indented(text, value, inner)}`;
    const start = parent.offset + 1;
    const end = inside.trim() === '' ? start + inside.length : start;
    return {
      start,
      end,
      text: eolOf(text) + inner + property + (end === start && inside !== '' ? '' : eolOf(text) + outer),
    };
  }
  // A comma that trails the last property then trails the new one.
  const isOneLine = !text.slice(parent.offset, last.offset).includes('\n');
  const lead = isOneLine ? ', ' : `,${eolOf(text)}${indentOf(text, last.offset)}`;
  return { start: endOf(last), end: endOf(last), text: `${lead}${JSON.stringify(key)}: ${format(text, value, last)}` };
}

function removal(text: string, value: Node): Edit | undefined {
  const property = value.parent;
  const object = property?.parent;
  if (property === undefined || object?.children === undefined) return undefined;
  const index = object.children.indexOf(property);
  const before = object.children[index - 1];
  const after = object.children[index + 1];
  if (after !== undefined) return { start: property.offset, end: after.offset, text: '' };
  if (before !== undefined) return { start: endOf(before), end: endOf(property), text: '' };
  const around = text.slice(object.offset + 1, property.offset) + text.slice(endOf(property), endOf(object) - 1);
  return around.trim() === '' || around.trim() === ','
    ? { start: object.offset + 1, end: endOf(object) - 1, text: '' }
    : { start: property.offset, end: endOf(property), text: '' };
}

/** As the line of `beside` is written: on one line when its object is. */
function format(text: string, value: JsonValue, beside: Node): string {
  const parent = beside.type === 'property' ? beside.parent : beside.parent?.parent;
  const isOneLine = parent !== undefined && !text.slice(parent.offset, beside.offset).includes('\n');
  return isOneLine ? JSON.stringify(value) : indented(text, value, indentOf(text, beside.offset));
}

function indented(text: string, value: JsonValue, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', eolOf(text) + indent);
}

const eolOf = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n');
const indentOf = (text: string, offset: number) =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? '';
const unitOf = (text: string) => /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
