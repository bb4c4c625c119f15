import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { Phone } from './phone.ts';
import type { PhoneState } from './phone-state.ts';

export const PhoneContext = createContext<Phone | undefined>(undefined);

export function usePhone(): Phone {
  const phone = useContext(PhoneContext);
  if (phone === undefined) throw new Error('the phone context is missing');
  return phone;
}

/** Reads a part of the state and draws again when that part is another value. */
export function usePhoneState<T>(select: (state: PhoneState) => T): T {
  return useStore(usePhone().store, select);
}
