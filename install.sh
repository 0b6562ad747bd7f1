#!/bin/sh
# Installs Homeport as a service on Debian, Ubuntu, AlmaLinux and similar systems: Node.js if needed, the package
# homeport-server from npm, and a systemd service. Read this file, then run it as root:
#
#   sh install.sh                                  # asks before each step
#   sh install.sh --domain api.example.org --yes   # with certificates from Let's Encrypt
#   sh install.sh --help
#
# Each step can be repeated: what is installed already is kept, and the service is updated.
set -eu

NODE_MAJOR=24
NODE_MIN_MAJOR=20
NODE_MIN_MINOR=19
NODE_OFFICIAL=https://nodejs.org/dist
NODE_CHINA=https://registry.npmmirror.com/-/binary/node
REGISTRY_CHINA=https://registry.npmmirror.com

usage() {
  cat <<'END'
Usage: sh install.sh [options] [-- options of the server]

  --domain NAME        serve HTTPS for this domain; certificates are obtained and renewed automatically
  --yes                do not ask before each step
  --dry-run            print the steps and change nothing
  --mirror china       download Node.js and packages from mirrors in mainland China
  --registry URL       npm registry, instead of the configured one
  --node-mirror URL    where to download Node.js, if the distribution has none that is new enough
  --node-from PLACE    distribution, download or auto (default: the distribution if it has Node.js 20.19 or later)
  --prefix DIRECTORY   where a downloaded Node.js is installed (default: /usr/local)
  --package SPEC       npm package, version or file (default: homeport-server)
  --no-service         install Node.js and the package only
  --no-start           install the service without starting it

Example with options of the server:
  sh install.sh -- --port 8080 --public-url https://api.example.org
END
}

say() { printf '%s\n' "$*"; }
fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

domain='' yes=false dry=false registry='' node_mirror=$NODE_OFFICIAL node_from=auto prefix=/usr/local
package=homeport-server service=true start=true

while [ $# -gt 0 ]; do
  case $1 in
  --domain | --mirror | --registry | --node-mirror | --node-from | --prefix | --package)
    [ $# -ge 2 ] || fail "$1 needs a value."
    value=$2
    case $1 in
    --domain) domain=$value ;;
    --registry) registry=$value ;;
    --node-mirror) node_mirror=$value ;;
    --prefix) prefix=$value ;;
    --package) package=$value ;;
    --node-from)
      case $value in auto | distribution | download) node_from=$value ;; *) fail "--node-from must be auto, distribution or download, not $value." ;; esac
      ;;
    --mirror)
      [ "$value" = china ] || fail "--mirror must be china, not $value."
      node_mirror=$NODE_CHINA registry=$REGISTRY_CHINA
      ;;
    esac
    shift 2
    ;;
  --yes) yes=true && shift ;;
  --dry-run) dry=true && shift ;;
  --no-service) service=false && shift ;;
  --no-start) start=false && shift ;;
  --help | -h) usage && exit 0 ;;
  --) shift && break ;;
  *) fail "unknown option $1; \"sh install.sh --help\" lists the options." ;;
  esac
done

# Asks for a step and its commands; ends the script when the answer is no.
step() {
  say '' "== $1"
  shift
  for line in "$@"; do say "   $line"; done
  $yes || $dry && return 0
  printf '   Continue? [y/N] '
  { read -r answer </dev/tty; } 2>/dev/null || fail 'no terminal to ask on: read the script, then use --yes.'
  case $answer in [yY] | [yY][eE][sS]) ;; *) fail 'stopped; nothing of this step was done.' ;; esac
}
run() { $dry || "$@"; }

check_machine() {
  [ "$(uname -s)" = Linux ] || fail 'this script is for Linux. docs/deployment.md describes macOS and Windows.'
  $dry || [ "$(id -u)" = 0 ] || fail 'run this script as root, for example with: sudo sh install.sh'
  case $(uname -m) in
  x86_64) node_arch=x64 ;;
  aarch64 | arm64) node_arch=arm64 ;;
  *) fail "the processor $(uname -m) is not supported; use x86_64 or aarch64." ;;
  esac
  if ldd --version 2>&1 | grep -qi musl; then fail 'this system uses musl (Alpine). Use Debian, Ubuntu or AlmaLinux, or a container.'; fi
  if $service && $start && ! $dry && [ ! -d /run/systemd/system ]; then
    fail 'systemd does not run here. Use --no-start to install for the next start of the machine, or --no-service.'
  fi
  if has apt-get; then manager=apt; elif has dnf; then manager=dnf; else manager=none; fi
}

# Whether version $1 (such as v20.19.2 or 22.1.0~dfsg) is new enough.
is_enough() {
  number=${1#v}
  number=${number#*:}
  major=${number%%.*}
  rest=${number#*.}
  minor=${rest%%.*}
  case $major$minor in '' | *[!0-9]*) return 1 ;; esac
  [ "$major" -gt $NODE_MIN_MAJOR ] || { [ "$major" -eq $NODE_MIN_MAJOR ] && [ "$minor" -ge $NODE_MIN_MINOR ]; }
}

# Prints the version of Node.js that the distribution would install; nothing if it has none.
distribution_version() {
  case $manager in
  apt)
    run apt-get update -qq >/dev/null
    apt-cache policy nodejs 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9].*\)/\1/p'
    ;;
  dnf) dnf -q list --available nodejs 2>/dev/null | awk '$1 ~ /^nodejs\./ { print $2 }' | tail -n 1 ;;
  esac
}

# AlmaLinux 9 has newer versions as streams, such as nodejs:22. Prints the newest even one.
distribution_stream() {
  [ "$manager" = dnf ] || return 0
  dnf -q module list nodejs 2>/dev/null | awk '$1 == "nodejs" && $2 % 2 == 0 && $2 >= 22 { print $2 }' | sort -n | tail -n 1
}

install_node() {
  if has node && is_enough "$(node --version 2>/dev/null)" && has npm; then
    case $(readlink -f "$(command -v node)") in
    /root/* | /home/*) say "Node.js $(node --version) belongs to one user, so the service cannot run it." ;;
    *)
      say "Node.js $(node --version) is installed."
      return 0
      ;;
    esac
  fi
  if [ "$node_from" != download ]; then
    stream=$(distribution_stream)
    version=$(distribution_version)
    if [ -n "$stream" ]; then
      step "Install Node.js $stream from the distribution" "dnf module install nodejs:$stream"
      run dnf -y -q module reset nodejs
      run dnf -y -q module install "nodejs:$stream"
      return 0
    elif is_enough "$version"; then
      case $manager in
      apt)
        step "Install Node.js $version from the distribution" 'apt-get install nodejs npm'
        run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nodejs npm >/dev/null
        ;;
      dnf)
        step "Install Node.js $version from the distribution" 'dnf install nodejs npm'
        run dnf -y -q install nodejs npm
        ;;
      esac
      return 0
    fi
    [ "$node_from" = auto ] || fail "the distribution has no Node.js 20.19 or later (found: ${version:-none}). Use --node-from download."
  fi
  download_node
}

fetch() {
  if has curl; then curl -fsSL --retry 3 --connect-timeout 20 -o "$2" "$1"
  elif has wget; then wget -q -t 3 -T 20 -O "$2" "$1"
  else fail 'curl or wget is needed to download Node.js: install one of them.'; fi
}

# Downloads the official archive. The checksums come from nodejs.org, even if the archive comes from a mirror; only if nodejs.org
# cannot be reached do they come from the mirror too.
download_node() {
  step "Download Node.js $NODE_MAJOR into $prefix" "from $node_mirror/latest-v$NODE_MAJOR.x/, SHA-256 checked"
  $dry && return 0
  for tool in tar sha256sum xz; do
    has $tool && continue
    case $tool in xz) archive=xz-utils && [ "$manager" = dnf ] && archive=xz ;; *) fail "$tool is missing." ;; esac
    case $manager in
    apt) env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$archive" ;;
    dnf) dnf -y -q install "$archive" ;;
    *) fail 'xz is missing: install it.' ;;
    esac
  done
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  sums=$work/SHASUMS256.txt
  if [ "$node_mirror" = $NODE_OFFICIAL ] || ! fetch "$NODE_OFFICIAL/latest-v$NODE_MAJOR.x/SHASUMS256.txt" "$sums" 2>/dev/null; then
    [ "$node_mirror" = $NODE_OFFICIAL ] || say "   nodejs.org cannot be reached: the checksums come from $node_mirror too."
    fetch "$node_mirror/latest-v$NODE_MAJOR.x/SHASUMS256.txt" "$sums" || fail "cannot download $node_mirror/latest-v$NODE_MAJOR.x/SHASUMS256.txt"
  fi
  name=$(awk -v suffix="linux-$node_arch.tar.xz" '$2 ~ ("^node-v[0-9.]+-" suffix "$") { print $2 }' "$sums")
  [ -n "$name" ] || fail "the list of checksums has no Node.js for linux-$node_arch."
  version=${name#node-}
  version=${version%%-*}
  fetch "$node_mirror/$version/$name" "$work/$name" || fail "cannot download $node_mirror/$version/$name"
  (cd "$work" && grep " $name\$" SHASUMS256.txt | sha256sum -c --quiet -) || fail "the SHA-256 of $name is wrong; nothing was installed."
  mkdir -p "$prefix/lib" "$prefix/bin"
  target=$prefix/lib/${name%.tar.xz}
  rm -rf "$target"
  tar -C "$prefix/lib" --no-same-owner -xJf "$work/$name"
  for program in node npm npx; do ln -sfn "$target/bin/$program" "$prefix/bin/$program"; done
  # Programs of packages are then in the prefix too, and survive an update of Node.js.
  printf 'prefix=%s\n' "$prefix" >"$target/lib/node_modules/npm/npmrc"
  PATH=$prefix/bin:$PATH
  say "   installed $version"
}

install_package() {
  step "Install $package" "npm install --global $package${registry:+ --registry $registry}"
  if [ -n "$registry" ]; then set -- --registry "$registry"; else set --; fi
  # From a directory that all users can enter: npm runs scripts of packages as the owner of the directory.
  (cd / && run npm install --global --no-audit --no-fund "$@" "$package")
  hash -r
  $dry || has homeport || fail "npm installed the package where the PATH does not lead: add $(npm prefix --global)/bin to the PATH."
}

install_service() {
  [ -z "$domain" ] || set -- --domain "$domain" --public-url "https://$domain" "$@"
  $start || set -- --no-start "$@"
  step 'Install the service' "homeport service install $*"
  run homeport service install "$@"
}

check_machine
install_node
install_package
if $service; then install_service "$@"; else say '' 'Start the server with: homeport start'; fi
