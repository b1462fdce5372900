// Who looks at the page, and what that lets them do.

import { useQuery } from '@tanstack/react-query';
import { request } from './call';

export type Me = {
  kind: string;
  agent_id: string | null;
  person: string | null;
  is_admin: boolean;
  scopes: string[];
  sign_in_id: string | null;
};

export const useMe = () => useQuery({ queryKey: ['me'], queryFn: () => request<Me>('/me') });

/** Whether the reader runs the hub. Until that is known, nothing is closed to them. */
export const useMayAdminister = () => useMe().data?.is_admin ?? true;
