/** OpenCode has no hooks but plugins: this file of ours is one. It runs inside OpenCode, so it uses nothing but Node's own modules. */
import { HOOK_MARKER } from '../../contract/index.ts';
import { SENTINEL } from './hook-command.ts';

export const OPENCODE_PLUGIN = `// ${SENTINEL}: tells TUICommander what OpenCode does. Made by "tuic agents hooks install opencode".
import { writeFileSync } from 'node:fs';

const { TUIC_SESSION, TUIC_HOOK_NONCE } = process.env;

function tell(verb, value) {
  try {
    writeFileSync('/dev/tty', \`\\u001b]${HOOK_MARKER};nonce=\${TUIC_HOOK_NONCE};\${verb}=\${value}\\u0007\`);
  } catch {
    // Without a terminal there is nobody to tell.
  }
}

export const TUICommander = async () => {
  // Outside a terminal of TUICommander it does nothing.
  if (!TUIC_SESSION || !TUIC_HOOK_NONCE) return {};
  // Conversations of sub-agents begin and end within the turn of the one that the person sees.
  const children = new Set();
  return {
    event: async ({ event: { type, properties } }) => {
      if (type === 'session.created' || type === 'session.updated') {
        const { id, parentID } = properties.info ?? {};
        if (parentID) children.add(id);
        else if (type === 'session.created' && /^[A-Za-z0-9_-]{1,128}$/.test(id ?? '')) tell('session', id);
        return;
      }
      if (children.has(properties?.sessionID)) return;
      if (type === 'session.status') tell('state', properties.status?.type === 'idle' ? 'idle' : 'busy');
      if (type === 'permission.asked' || type === 'question.asked') tell('state', 'awaiting');
      if (/^(permission|question)\\.(replied|rejected)$/.test(type)) tell('state', 'busy');
    },
  };
};
`;
