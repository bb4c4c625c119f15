/** Searches beside the page, so that a pattern that takes forever costs a thread that can be ended, never the terminal. */
import { findInTexts, type Pattern, type TextMatch } from './find-text.ts';

export interface FindRequest {
  id: number;
  texts: readonly string[];
  pattern: Pattern;
  most: number;
}

export interface FindAnswer {
  id: number;
  matches: TextMatch[];
}

self.onmessage = ({ data }: MessageEvent<FindRequest>) => {
  const answer: FindAnswer = { id: data.id, matches: findInTexts(data.texts, data.pattern, data.most) };
  self.postMessage(answer);
};
