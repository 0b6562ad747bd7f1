import { allowPrivateAddresses } from '../../src/http-client/reachable-address.ts'

// Providers, engines and sources of moves are stand-ins on this machine. Servers get the same setting from the environment.
allowPrivateAddresses(['loopback'])
