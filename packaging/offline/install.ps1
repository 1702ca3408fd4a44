# Installs ugt without a network: powershell -ExecutionPolicy Bypass -File install.ps1 [-Target FOLDER] [-Python python.exe]
param([string]$Target = "ugt-env", [string]$Python = "")

$ErrorActionPreference = "Stop"
$wanted = "@PYTHON@"
$ask = "import sys; print('%d.%d' % sys.version_info[:2])"

function Stop-Here([string]$Message) { [Console]::Error.WriteLine("install.ps1: $Message"); exit 2 }

# The launcher py knows every Python of the machine; where there is none, the one on the PATH may be right.
if ($Python -eq "") {
    if (Get-Command py -ErrorAction SilentlyContinue) { $Python = (& py "-$wanted" -c "import sys; print(sys.executable)") }
    elseif (Get-Command python -ErrorAction SilentlyContinue) { $Python = "python" }
    if (-not $Python) { Stop-Here "no Python $wanted found; name it: -Python C:\...\python.exe" }
}
if ((& $Python -c $ask) -ne $wanted) { Stop-Here "these wheels are for Python $wanted; $Python is not that, or does not run" }
if (Test-Path -LiteralPath $Target) { Stop-Here "$Target is there already; name another folder, or remove it" }

& $Python -m venv $Target
if ($LASTEXITCODE -ne 0) { exit 1 }
$inside = Join-Path $Target "Scripts\python.exe"
$wheelhouse = Join-Path $PSScriptRoot "wheelhouse"
$requirements = Join-Path $PSScriptRoot "requirements.txt"
# --isolated, --no-index: no settings of this machine, nobody is asked; a hash that differs stops the installation.
& $inside -m pip --isolated --disable-pip-version-check --no-cache-dir install --quiet --no-index `
    --find-links $wheelhouse --require-hashes --only-binary=:all: -r $requirements
if ($LASTEXITCODE -ne 0) { exit 1 }

& $inside -c "import ugt; assert abs(ugt.annotation_certainty(ugt.dirichlet(ugt.Labels.from_counts([[3, 1]]), prior=0.5)).value - 0.839530545263) < 1e-11"
if ($LASTEXITCODE -ne 0) { Stop-Here "a number that must be 0.839530545263 is another: do not use this installation" }
$ugt = Join-Path $Target "Scripts\ugt.exe"
& $ugt --version
Write-Output "Installed. Next: $ugt demo --out ugt-demo"
