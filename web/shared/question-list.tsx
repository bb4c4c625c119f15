import { type ReactNode, useState } from 'react';
import type { PendingConfirm } from '../../src/contract/index.ts';
import { cleanText } from './labels.ts';

export interface QuestionListProps {
  questions: readonly PendingConfirm[];
  /** How the terminal is called that a question comes from. */
  nameOf(sessionId: string): string | undefined;
  answer(question: PendingConfirm, confirmed: boolean): Promise<void>;
  /** What stands below them. */
  children?: ReactNode;
}

/**
 * Questions of agents. They take no focus: what a person types goes on to the terminal and can never answer one by accident.
 */
export function QuestionList({ questions, nameOf, answer, children }: QuestionListProps) {
  return (
    <section className="questions" aria-label="Questions of agents" aria-live="assertive">
      {questions.map((question) => (
        <QuestionCard
          key={question.request_id}
          question={question}
          origin={question.origin_session_id === undefined ? undefined : nameOf(question.origin_session_id)}
          answer={answer}
        />
      ))}
      {children}
    </section>
  );
}

interface QuestionCardProps {
  question: PendingConfirm;
  origin: string | undefined;
  answer: QuestionListProps['answer'];
}

function QuestionCard({ question, origin, answer }: QuestionCardProps) {
  const [isSending, setSending] = useState(false);
  const [left] = useState(() => Math.max(0, question.expires_at - Date.now()));
  const [share] = useState(() => Math.min(1, left / (question.expires_at - question.created_at)));
  const titleId = `question-${question.request_id}`;
  const send = (confirmed: boolean) => {
    setSending(true);
    void answer(question, confirmed).finally(() => setSending(false));
  };
  return (
    <article className="question" aria-labelledby={titleId} data-testid="question">
      <p className="question-origin">{origin === undefined ? 'An agent asks' : `${origin} asks`}</p>
      <h2 id={titleId}>
        <bdi>{cleanText(question.title)}</bdi>
      </h2>
      {question.message !== null && question.message.trim() !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by the keyboard too.
        <p className="question-message" tabIndex={0}>
          <bdi>{question.message}</bdi>
        </p>
      )}
      <div className="question-actions">
        <button type="button" className="question-button" disabled={isSending} onClick={() => send(false)}>
          No
        </button>
        <button type="button" className="question-button question-yes" disabled={isSending} onClick={() => send(true)}>
          Yes
        </button>
      </div>
      <i
        className="question-time"
        aria-hidden="true"
        title="Without an answer it counts as no"
        style={{ width: `${share * 100}%`, animationDuration: `${left}ms` }}
      />
    </article>
  );
}
