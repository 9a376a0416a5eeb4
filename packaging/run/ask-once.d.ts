import type { MethodName, Params, Result } from '@panel/shared/rpc/methods.ts';
export declare function askOnce<M extends MethodName>(socketPath: string, method: M, params: Params<M>): Promise<Result<M>>;
