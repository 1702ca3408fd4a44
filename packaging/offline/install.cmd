@echo off
rem Installs ugt without a network: install.cmd [FOLDER]     (default: ugt-env, here)
rem With another interpreter:       set PYTHON=C:\...\python.exe     before it
setlocal
set "here=%~dp0"
set "target=%~1"
if "%target%"=="" set "target=ugt-env"
set "ask=import sys; sys.exit('.'.join(map(str, sys.version_info[:2])) != '@PYTHON@')"
set "run="
if defined PYTHON (set run="%PYTHON%") else call :find
if not defined run (echo install.cmd: no Python @PYTHON@ found; name it: set PYTHON=C:\...\python.exe>&2& exit /b 2)
%run% -c "%ask%" >nul 2>nul
if errorlevel 1 (echo install.cmd: these wheels are for Python @PYTHON@; %run% is not that, or does not run>&2& exit /b 2)
if exist "%target%" (echo install.cmd: %target% is there already; name another folder, or remove it>&2& exit /b 2)

%run% -m venv "%target%"
if errorlevel 1 exit /b 1
rem --isolated, --no-index: no settings of this machine, nobody is asked; a hash that differs stops the installation.
"%target%\Scripts\python.exe" -m pip --isolated --disable-pip-version-check --no-cache-dir install --quiet --no-index --find-links "%here%wheelhouse" --require-hashes --only-binary=:all: -r "%here%requirements.txt"
if errorlevel 1 exit /b 1

"%target%\Scripts\python.exe" -c "import ugt; assert abs(ugt.annotation_certainty(ugt.dirichlet(ugt.Labels.from_counts([[3, 1]]), prior=0.5)).value - 0.839530545263) < 1e-11"
if errorlevel 1 (echo install.cmd: a number that must be 0.839530545263 is another: do not use this installation>&2& exit /b 2)
"%target%\Scripts\ugt.exe" --version
if errorlevel 1 exit /b 1
echo Installed. Next: %target%\Scripts\ugt demo --out ugt-demo
exit /b 0

rem The launcher py knows every Python of the machine; where there is none, the one on the PATH may be right.
:find
py -@PYTHON@ -c "%ask%" >nul 2>nul
if not errorlevel 1 (set "run=py -@PYTHON@"& exit /b 0)
python -c "%ask%" >nul 2>nul
if not errorlevel 1 set "run=python"
exit /b 0
