/** What an agent asks with its choices, and the keys that answer it. */
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import type { SessionInfo } from '../../src/contract/index.ts';
import { choiceOf, type OpenChoice } from './choices.ts';
import { cleanText, sessionLabel } from './labels.ts';

export interface ChoiceCardProps {
  session: SessionInfo;
  choice: OpenChoice;
  /** It is to have the keyboard; `takeFocus` tells whether it still is. */
  isFocusWanted?: boolean;
  takeFocus?: () => boolean;
  /** Its terminal is beside it: what it is about is not told again. */
  isInTerminal?: boolean;
  /** What is told beside the buttons that lead away from it. */
  note?: string | undefined;
  look(): void;
  answer(key: string): void;
  onShow?: () => void;
  onLater(): void;
  /** The keyboard is given back: by Escape, or because the card goes while it has it. */
  onLeave?: () => void;
}

/**
 * It takes no focus by itself: what a person types goes on to the terminal and can never answer it by accident. With the keyboard
 * on it, the keys that the agent names answer; what cannot be taken back is asked twice. Drawn anew (`key`) for each question.
 */
export function ChoiceCard(props: ChoiceCardProps) {
  const { session, choice, look, answer, takeFocus, onLeave } = props;
  const element = useRef<HTMLElement>(null);
  /** Pressed once, to be pressed again. */
  const [armed, setArmed] = useState<string>();
  const titleId = useId();
  const isUnread = choice.about === undefined;
  useEffect(() => {
    if (isUnread) look();
  }, [isUnread, look]);
  useEffect(() => {
    if (props.isFocusWanted === true && takeFocus?.() === true) element.current?.focus();
  }, [props.isFocusWanted, takeFocus]);
  // Before it is taken out of the page, and the keyboard with it.
  useLayoutEffect(
    () => () => {
      if (element.current?.contains(document.activeElement)) onLeave?.();
    },
    [onLeave],
  );
  const prompt = choiceOf(session);
  if (prompt === undefined) return null;
  const isSending = choice.phase === 'sending';
  // One of the answers may say itself that it is what Escape does.
  const isNamed = prompt.options.some(({ key, hint }) => key !== '' && hint?.toLowerCase() === 'esc');
  const dismissal = prompt.dismiss_key === undefined || isNamed ? [] : [dismissalOf(prompt.dismiss_key)];
  const options = [...prompt.options, ...dismissal];
  const armedOption = options.find(({ key }) => key === armed);

  const choose = (key: string, isDestructive: boolean) => {
    if (isSending) return;
    if (isDestructive && armed !== key) setArmed(key);
    else {
      setArmed(undefined);
      answer(key);
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      if (armed !== undefined) setArmed(undefined);
      else onLeave?.();
    } else {
      const option = prompt.options.find(({ key }) => key !== '' && key === event.key);
      if (option === undefined) return;
      if (!event.repeat) choose(option.key, option.destructive);
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <article
      ref={element}
      className="question choice"
      aria-labelledby={titleId}
      aria-busy={isSending}
      data-testid="choice"
      data-session-id={session.session_id}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setArmed(undefined);
      }}
    >
      <p className="question-origin">
        <bdi>{sessionLabel(session)}</bdi> asks
      </p>
      <h2 id={titleId}>
        <bdi>{cleanText(prompt.title)}</bdi>
      </h2>
      {props.isInTerminal !== true && <About rows={choice.about} />}
      <ul className="choice-options">
        {options.map(({ key, label, destructive, hint }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two options may have the same words, and none of them moves
          <li key={index}>
            {key === '' ? (
              <span className="choice-option is-untyped">
                <bdi>{cleanText(label)}</bdi>
              </span>
            ) : (
              <button
                type="button"
                className={`choice-option${destructive ? ' is-destructive' : ''}${armed === key ? ' is-armed' : ''}`}
                aria-disabled={isSending}
                onClick={() => choose(key, destructive)}
              >
                <kbd>{key}</kbd>
                <span className="choice-label">
                  <bdi>{cleanText(label)}</bdi>
                  {hint !== undefined && hint.length > 12 && (
                    <small>
                      <bdi>{cleanText(hint)}</bdi>
                    </small>
                  )}
                </span>
                {armed === key && <span className="choice-again">Again to choose it</span>}
              </button>
            )}
          </li>
        ))}
      </ul>
      <div className="choice-foot">
        <span className="choice-note" role="status">
          {armedOption === undefined ? noteOf(options, props.note) : `${cleanText(armedOption.label)}: once more?`}
        </span>
        <button type="button" className="question-button" onClick={props.onLater}>
          Later
        </button>
        {props.onShow !== undefined && (
          <button type="button" className="question-button" onClick={props.onShow}>
            Show
          </button>
        )}
      </div>
    </article>
  );
}

/** It refuses what is asked, so it is asked twice like every refusal. */
function dismissalOf(key: string) {
  return { key, label: 'None of them', destructive: true, hint: undefined };
}

function noteOf(options: readonly { key: string }[], note: string | undefined): string {
  return options.every(({ key }) => key === '' || key === 'Esc')
    ? 'Its answers are chosen in the terminal.'
    : (note ?? '');
}

function About({ rows }: { rows: readonly string[] | undefined }) {
  if (rows === undefined) return <p className="choice-about is-unread">…</p>;
  if (rows.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by the keyboard too
    <pre className="choice-about" tabIndex={0} data-testid="choice-about">
      <bdi>{rows.join('\n')}</bdi>
    </pre>
  );
}
