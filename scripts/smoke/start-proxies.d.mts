/** A running proxy. */
export interface Proxy {
  readonly name: string
  /** Its address with TLS. */
  readonly url: string
  /** Its address without TLS. */
  readonly plainUrl: string
  /** The file of the certificate that clients must trust. */
  readonly authority: string
  stop(): Promise<void>
}

/** Starts nginx with deploy/nginx/homeport.conf in front of the server at `upstream`, such as 127.0.0.1:3000. */
export function startNginx(program: string, directory: string, upstream: string): Promise<Proxy>

/** Starts Caddy with deploy/caddy/Caddyfile in front of the server at `upstream`. */
export function startCaddy(program: string, directory: string, upstream: string): Promise<Proxy>

/** Starts Caddy with deploy/compose/cluster/Caddyfile in front of two servers. */
export function startCaddyOfCluster(
  program: string,
  directory: string,
  upstreams: readonly [string, string],
): Promise<Proxy>
