import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { CloseIcon, NewLineIcon, SendIcon } from '../shared/icons.tsx';
import { controlCharacter, type Key } from './keys.ts';
import { usePhone, usePhoneState } from './phone-context.ts';

const TALLEST = 140;
/** Keys that go to the program while there is no text they could act on here. */
const PASSED: ReadonlySet<string> = new Set<Key>(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Escape']);
/** What browsers report for a key that an input method takes. */
const TAKEN_BY_INPUT_METHOD = 229;

/**
 * Text for the program, sent with Enter. Shift and Enter, or the key for it, make a new line. While an input method
 * composes, Enter is its own; phones report keys late or not at all, so line breaks are looked for in the text as well.
 */
export function Composer({ isCtrl, setCtrl }: { isCtrl: boolean; setCtrl: (isCtrl: boolean) => void }) {
  const phone = usePhone();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const send = usePhoneState((state) => state.viewer.send);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const element = field.current;
    if (element === null) return;
    element.style.height = 'auto';
    element.style.height = `${Math.min(TALLEST, element.scrollHeight)}px`;
  }, [text]);

  const submit = async () => {
    const sent = text;
    setText('');
    const isSent = await phone.sendText(sent);
    // Nothing typed is lost: what was not sent stands before what was typed since.
    if (!isSent) setText((since) => (since === '' ? sent : `${sent}\n${since}`));
  };

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing || event.keyCode === TAKEN_BY_INPUT_METHOD) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      void submit();
      return;
    }
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
    if (text === '' && isPlain && PASSED.has(event.key)) {
      event.preventDefault();
      phone.sendKey(event.key as Key, isCtrl);
      setCtrl(false);
      return;
    }
    const selection = event.currentTarget.selectionStart !== event.currentTarget.selectionEnd;
    if (event.ctrlKey && event.key === 'c' && !selection) {
      event.preventDefault();
      phone.sendRaw('\x03');
    }
  };

  const isShifted = useRef(false);
  const onBeforeInput = (event: InputEvent) => {
    const { inputType, data, isComposing } = event;
    if (isComposing) return;
    // Phones whose keyboard reports no key for it.
    if (inputType === 'insertLineBreak' && !isShifted.current) {
      event.preventDefault();
      void submit();
      return;
    }
    if (!isCtrl || data === null || data.length !== 1) return;
    const control = controlCharacter(data);
    if (control === undefined) return;
    event.preventDefault();
    phone.sendRaw(control);
    setCtrl(false);
  };
  // The browser's own event: React's of the same name tells neither the kind of input nor of compositions.
  const beforeInput = useRef(onBeforeInput);
  beforeInput.current = onBeforeInput;
  useEffect(() => {
    const element = field.current;
    if (element === null) return;
    const listen = (event: InputEvent) => beforeInput.current(event);
    element.addEventListener('beforeinput', listen);
    return () => element.removeEventListener('beforeinput', listen);
  }, []);

  const addLine = () => {
    const element = field.current;
    if (element === null) return;
    element.setRangeText('\n', element.selectionStart, element.selectionEnd, 'end');
    setText(element.value);
    element.focus();
  };

  return (
    <div className="composer-box">
      {send.kind === 'failed' && (
        <p className={send.isUncertain ? 'send-note is-uncertain' : 'send-note'} role="alert" data-testid="send-failed">
          <span>{send.reason}</span>
          <button type="button" className="tool" aria-label="Dismiss" onClick={() => phone.clearSendFailure()}>
            <CloseIcon />
          </button>
        </p>
      )}
      <form
        className="composer"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <textarea
          ref={field}
          rows={1}
          value={text}
          aria-label="Text to send"
          placeholder={isCtrl ? 'Ctrl + …' : 'Type, and send with Enter'}
          enterKeyHint="send"
          autoCapitalize="none"
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            isShifted.current = event.shiftKey || event.altKey;
            onKeyDown(event);
          }}
        />
        {text !== '' && (
          <button
            type="button"
            className="tool"
            aria-label="New line"
            onMouseDown={(event) => event.preventDefault()}
            onClick={addLine}
          >
            <NewLineIcon />
          </button>
        )}
        <button
          type="submit"
          className="send"
          aria-label={text === '' ? 'Send Enter' : 'Send'}
          data-state={send.kind}
          onMouseDown={(event) => event.preventDefault()}
        >
          <SendIcon />
        </button>
      </form>
    </div>
  );
}
