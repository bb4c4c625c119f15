/** How four model APIs look on the wire: what is asked, and how an answer streams. Only what the agents' own clients read. */
import type { ModelRequest, OfferedTool } from './cues.ts';

type Json = Record<string, unknown>;

/** One streamed piece: an event name (or none) and its data. */
export interface StreamPiece {
  event?: string;
  data: Json | '[DONE]';
}

export interface ToolCall {
  name: string;
  namespace?: string;
  args: Json;
  id: string;
}

export interface Dialect {
  name: string;
  read(body: Json): ModelRequest;
  isStreamed(body: Json, path: string): boolean;
  open(model: string): StreamPiece[];
  word(text: string, index: number): StreamPiece[];
  tool(call: ToolCall): StreamPiece[];
  /** Ends an answer of text, or of a tool call. */
  close(text: string, isTool: boolean): StreamPiece[];
  /** The same answer in one piece. */
  whole(text: string, tool: ToolCall | undefined, model: string): Json;
  error(type: string, message: string, status: number): Json;
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const string = (value: unknown): string => (typeof value === 'string' ? value : '');
const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

/** Text of a message whose content is a string or a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => string(part.text))
    .join('\n');
}

const anthropicTools = (body: Json): OfferedTool[] =>
  list(body.tools).map((tool) => ({ name: string(tool.name), schema: object(tool.input_schema) }));

export const anthropic: Dialect = {
  name: 'anthropic',
  read(body) {
    // Reminders of the agent come as messages of the person behind the prompt.
    const messages = list(body.messages);
    const newest = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
    const parts = newest.flatMap(({ content }) => (typeof content === 'string' ? [{ text: content }] : list(content)));
    // A tool that was refused leaves its result in front of the next prompt.
    const behind = parts.slice(parts.findLastIndex((part) => part.type === 'tool_result') + 1);
    const said = textOf(behind);
    const hasToolResult = behind.length < parts.length && !said.includes('CUE:');
    const text = hasToolResult ? '' : said;
    return { text, hasToolResult, tools: anthropicTools(body) };
  },
  isStreamed: (body) => body.stream === true,
  open: (model) => [
    {
      event: 'message_start',
      data: {
        type: 'message_start',
        message: {
          id: 'msg_test',
          type: 'message',
          role: 'assistant',
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 12, output_tokens: 1 },
        },
      },
    },
  ],
  word: (text, index) => [
    ...(index === 0
      ? [
          {
            event: 'content_block_start',
            data: { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
          },
        ]
      : []),
    {
      event: 'content_block_delta',
      data: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    },
  ],
  tool: ({ name, args, id }) => [
    {
      event: 'content_block_start',
      data: {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: `toolu_${id}`, name, input: {} },
      },
    },
    {
      event: 'content_block_delta',
      data: {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: JSON.stringify(args) },
      },
    },
  ],
  close: (_text, isTool) => [
    { event: 'content_block_stop', data: { type: 'content_block_stop', index: 0 } },
    {
      event: 'message_delta',
      data: {
        type: 'message_delta',
        delta: { stop_reason: isTool ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage: { output_tokens: 8 },
      },
    },
    { event: 'message_stop', data: { type: 'message_stop' } },
  ],
  whole: (text, tool, model) => ({
    id: 'msg_test',
    type: 'message',
    role: 'assistant',
    model,
    content:
      tool === undefined
        ? [{ type: 'text', text }]
        : [{ type: 'tool_use', id: `toolu_${tool.id}`, name: tool.name, input: tool.args }],
    stop_reason: tool === undefined ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 12, output_tokens: 8 },
  }),
  error: (type, message) => ({ type: 'error', error: { type, message } }),
};

const responseOf = (model: string, status: string, output: Json[]): Json => ({
  id: 'resp_test',
  object: 'response',
  created_at: 1_700_000_000,
  status,
  model,
  output,
  usage: {
    input_tokens: 12,
    output_tokens: 8,
    total_tokens: 20,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
});
const messageItem = (text: string): Json => ({
  type: 'message',
  id: 'item_test',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const callItem = ({ name, namespace, args, id }: ToolCall): Json => ({
  type: 'function_call',
  id: `item_${id}`,
  call_id: `call_${id}`,
  name,
  ...(namespace === undefined ? {} : { namespace }),
  arguments: JSON.stringify(args),
  status: 'completed',
});

/** Tools of the responses dialect may be grouped in namespaces. */
function responseTools(tools: unknown, namespace?: string): OfferedTool[] {
  return list(tools).flatMap((tool) => {
    if (Array.isArray(tool.tools)) return responseTools(tool.tools, string(tool.name));
    if (typeof tool.name !== 'string') return [];
    const schema = object(tool.parameters);
    return [namespace === undefined ? { name: tool.name, schema } : { name: tool.name, namespace, schema }];
  });
}

export const responses: Dialect = {
  name: 'responses',
  read(body) {
    const last = list(body.input).at(-1) ?? {};
    const hasToolResult = /_output$/.test(string(last.type));
    const text = typeof body.input === 'string' ? body.input : hasToolResult ? '' : textOf(last.content);
    return { text, hasToolResult, tools: responseTools(body.tools) };
  },
  isStreamed: (body) => body.stream === true,
  open: (model) => [
    { event: 'response.created', data: { type: 'response.created', response: responseOf(model, 'in_progress', []) } },
  ],
  word: (text, index) => [
    ...(index === 0
      ? [
          {
            event: 'response.output_item.added',
            data: {
              type: 'response.output_item.added',
              output_index: 0,
              item: { ...messageItem(''), status: 'in_progress', content: [] },
            },
          },
        ]
      : []),
    {
      event: 'response.output_text.delta',
      data: {
        type: 'response.output_text.delta',
        item_id: 'item_test',
        output_index: 0,
        content_index: 0,
        delta: text,
      },
    },
  ],
  tool: (call) => [
    {
      event: 'response.output_item.done',
      data: { type: 'response.output_item.done', output_index: 0, item: callItem(call) },
    },
  ],
  close: (text, isTool) => [
    ...(isTool
      ? []
      : [
          {
            event: 'response.output_item.done',
            data: { type: 'response.output_item.done', output_index: 0, item: messageItem(text) },
          },
        ]),
    {
      event: 'response.completed',
      data: {
        type: 'response.completed',
        response: responseOf('test-model', 'completed', isTool ? [] : [messageItem(text)]),
      },
    },
  ],
  whole: (text, tool, model) =>
    responseOf(model, 'completed', [tool === undefined ? messageItem(text) : callItem(tool)]),
  error: (type, message) => ({ error: { type, code: type, message } }),
};

const chunk = (delta: Json, finish: string | null = null): StreamPiece => ({
  data: {
    id: 'chatcmpl-test',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'test-model',
    choices: [{ index: 0, delta, finish_reason: finish }],
  },
});
const chatUsage = { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 };

export const chat: Dialect = {
  name: 'chat',
  read(body) {
    const last = list(body.messages).at(-1) ?? {};
    const hasToolResult = last.role === 'tool';
    const tools = list(body.tools).map((tool) => object(tool.function));
    return {
      text: hasToolResult ? '' : textOf(last.content),
      hasToolResult,
      tools: tools.map((tool) => ({ name: string(tool.name), schema: object(tool.parameters) })),
    };
  },
  isStreamed: (body) => body.stream === true,
  open: () => [chunk({ role: 'assistant', content: '' })],
  word: (text) => [chunk({ content: text })],
  tool: ({ name, args, id }) => [
    chunk({
      tool_calls: [
        { index: 0, id: `call_${id}`, type: 'function', function: { name, arguments: JSON.stringify(args) } },
      ],
    }),
  ],
  close: (_text, isTool) => [
    chunk({}, isTool ? 'tool_calls' : 'stop'),
    {
      data: {
        id: 'chatcmpl-test',
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model: 'test-model',
        choices: [],
        usage: chatUsage,
      },
    },
    { data: '[DONE]' },
  ],
  whole: (text, tool, model) => ({
    id: 'chatcmpl-test',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [
      {
        index: 0,
        finish_reason: tool === undefined ? 'stop' : 'tool_calls',
        message:
          tool === undefined
            ? { role: 'assistant', content: text }
            : {
                role: 'assistant',
                content: null,
                tool_calls: [
                  {
                    id: `call_${tool.id}`,
                    type: 'function',
                    function: { name: tool.name, arguments: JSON.stringify(tool.args) },
                  },
                ],
              },
      },
    ],
    usage: chatUsage,
  }),
  error: (type, message) => ({ error: { type, code: type, message } }),
};

const candidate = (parts: Json[], finish?: string): Json => ({
  candidates: [
    { index: 0, content: { role: 'model', parts }, ...(finish === undefined ? {} : { finishReason: finish }) },
  ],
  usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 8, totalTokenCount: 20 },
  modelVersion: 'test-model',
});

export const gemini: Dialect = {
  name: 'gemini',
  read(body) {
    const last = list(body.contents).at(-1) ?? {};
    const parts = list(last.parts);
    const hasToolResult = parts.some((part) => 'functionResponse' in part);
    const declared = list(body.tools).flatMap((tool) => list(tool.functionDeclarations));
    return {
      text: hasToolResult ? '' : textOf(parts),
      hasToolResult,
      tools: declared.map((tool) => ({
        name: string(tool.name),
        schema: object(tool.parametersJsonSchema ?? tool.parameters),
      })),
    };
  },
  isStreamed: (_body, path) => path.includes(':streamGenerateContent'),
  open: () => [],
  word: (text) => [{ data: candidate([{ text }]) }],
  tool: ({ name, args }) => [{ data: candidate([{ functionCall: { name, args } }]) }],
  close: () => [{ data: candidate([{ text: '' }], 'STOP') }],
  whole: (text, tool) =>
    candidate([tool === undefined ? { text } : { functionCall: { name: tool.name, args: tool.args } }], 'STOP'),
  error: (type, message, status) => ({ error: { code: status, status: type.toUpperCase(), message } }),
};

/** Which dialect a path speaks; undefined for one that no model answers. */
export function dialectOf(path: string): Dialect | undefined {
  if (/\/v1\/messages$/.test(path)) return anthropic;
  if (/\/responses$/.test(path)) return responses;
  if (/\/chat\/completions$/.test(path)) return chat;
  return /:(streamG|g)enerateContent$/.test(path) ? gemini : undefined;
}
