/** What a fake MCP server answers, whatever carries it; with switches for what a real one can do to its client. */

const text = (value) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
});
const schema = { type: 'object', properties: {} };

/** Members that no schema knows have to arrive as they are. */
export const RICH_RESULT = {
  content: [
    { type: 'text', text: 'a', vendor: { deep: [1, null, 'ä'] } },
    { type: 'hologram', shape: [[1, 2]] },
  ],
  structuredContent: [{ x: 1.5 }],
  _meta: { 'example.org/mark': true },
  vendorField: null,
};

/** A number that JavaScript would change; it goes out in place of the mark. */
export const EXACT_NUMBER = '9007199254740993';
const EXACT_MARK = 'exact number';

export const toLine = (message) => JSON.stringify(message).replaceAll(`"${EXACT_MARK}"`, EXACT_NUMBER);

export const BASIC_TOOLS = [
  { name: 'echo', description: 'Says it again. And more.', inputSchema: schema, annotations: { readOnlyHint: true } },
  { name: 'write', description: 'Changes something.', inputSchema: schema },
];

export class FakeUpstream {
  /** @param {object} switches */
  constructor(switches = {}) {
    this.switches = switches;
    this.tools = switches.tools ?? BASIC_TOOLS;
    /** Every message that came. */
    this.received = [];
    this.runs = 0;
  }

  messages(method) {
    return this.received.filter((message) => message.method === method);
  }

  /**
   * Answers one message; `send` takes what goes out of its own accord.
   * @returns {Promise<object | undefined>}
   */
  async answer(message, send) {
    this.received.push(message);
    const { id, method, params = {} } = message;
    if (id === undefined || method === undefined) return undefined;
    const outId = this.switches.stringIds ? String(id) : id;
    const result = (value) => ({ jsonrpc: '2.0', id: outId, result: value });
    const error = (code, what, data) => ({ jsonrpc: '2.0', id: outId, error: { code, message: what, data } });
    const isModern = params._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
    if (this.switches.modernOnly && !isModern) return error(-32_022, 'unsupported protocol version');
    if (this.switches.early && method === 'initialize') {
      for (let n = 0; n < 100; n++)
        send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: n } });
      send({ jsonrpc: '2.0', id: 'theirs', method: 'ping' });
    }
    if (this.switches.hangs === method) return new Promise(() => {});
    switch (method) {
      case 'initialize':
        return result({
          protocolVersion: '2025-11-25',
          capabilities: { tools: { listChanged: true }, ...this.switches.content?.capabilities },
          serverInfo: { name: 'fake', version: '1' },
        });
      case 'server/discover':
        return result({
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {}, ...this.switches.content?.capabilities },
          serverInfo: { name: 'fake', version: '1' },
        });
      case 'tools/list':
        return result(this.switches.noTools ? {} : { tools: this.tools });
      case 'tools/call':
        this.runs++;
        return this.#call(params, { result, error, send });
      case 'resources/list':
      case 'resources/templates/list':
      case 'prompts/list':
        return result(this.switches.content?.[method] ?? {});
      case 'resources/read':
        if (params.uri.includes('missing')) return error(-32_002, 'Resource not found', { uri: params.uri });
        return result({
          contents: [{ uri: params.uri, text: String(this.switches.content?.says), vendor: [null] }],
          _meta: { kept: 1 },
        });
      case 'prompts/get':
        return result({ messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(params) } }] });
      case 'completion/complete':
        return result({ completion: { values: [JSON.stringify(params.ref)], hasMore: false } });
      case 'ping':
        return result({});
      default:
        return error(-32_601, `no ${method}`);
    }
  }

  changeTools(tools, send, times = 1) {
    this.tools = tools;
    for (let n = 0; n < times; n++) send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  }

  async #call({ name, arguments: input = {}, _meta: meta }, { result, error, send }) {
    switch (input.do ?? name) {
      case 'rich':
        return result({ ...RICH_RESULT, ...(input.isError === undefined ? {} : { isError: input.isError }) });
      case 'exact':
        return result({ content: [], structuredContent: EXACT_MARK });
      case 'big':
        return result(text('ä'.repeat(input.characters)));
      case 'hang':
        return new Promise(() => {});
      case 'die':
        process.exit(3);
        break;
      case 'fail':
        return error(-32_000, 'it went wrong', { why: 'because' });
      case 'empty':
        return result({ kite: 1 });
      case 'environment':
        return result(
          text({ env: { ...process.env }, cwd: process.cwd(), args: process.argv.slice(3), pid: process.pid }),
        );
      case 'seen':
        return result(text(this.received));
      case 'progress':
        if (meta?.progressToken !== undefined) {
          for (const progress of [1, 2]) {
            send({
              jsonrpc: '2.0',
              method: 'notifications/progress',
              params: { progressToken: meta.progressToken, progress, total: 2 },
            });
          }
        }
        send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'nobody', progress: 9 } });
        return result(text(meta ?? {}));
      case 'add':
        this.changeTools([...this.tools, { name: input.tool, inputSchema: schema }], send, input.times ?? 1);
        return result(text('added'));
      case 'say':
        send({ jsonrpc: '2.0', method: input.method });
        return result(text('said'));
      default:
        return result(text({ name, input }));
    }
  }
}
