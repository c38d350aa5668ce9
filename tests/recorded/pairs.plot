picture.svg: from SOURCE/tests/results/pairs.log
set terminal svg size 920,460 noenhanced font 'sans,11' background '#ffffff'
cells = 'image pixels'
set encoding utf8
set tics out nomirror
set border 3 lc rgb '#404040'
set multiplot layout 1,2 rowsfirst title 'Round trip between each two of 4 ranks, a-0' font ',13'
set rmargin 10
set title 'mean, 64 B, 6 repeats' font ',13'
set xlabel 'rank'
set ylabel 'rank'
set palette defined (0 '#1f3fbf', 0.25 '#4fa3d9', 0.5 '#fff3a0', 0.75 '#f08a3c', 1 '#b81d1d')
set logscale cb 10
set cbrange [40.45:8201.39]
set format cb '%h'
set cblabel 'round trip (us)' offset 1.5
set cbtics autofreq
unset logscale xy
set xtics autofreq norotate
set ytics autofreq
set xrange [-0.5:3.5]
set xtics ("0" 0, "1" 1, "2" 2, "3" 3)
set yrange [-0.5:3.5]
set ytics ("0" 0, "1" 1, "2" 2, "3" 3)
set size square
unset key
plot '-' using 1:2:3 with @cells notitle, '-' using 1:2:3:4 with labels tc rgb variable font ',10' notitle
0 0 nan
1 0 40.45
2 0 8201.39
3 0 8201.39
0 1 40.45
1 1 nan
2 1 8201.39
3 1 8201.39
0 2 8201.39
1 2 8201.39
2 2 nan
3 2 242.56
0 3 8201.39
1 3 8201.39
2 3 242.56
3 3 nan
e
1 0 "40.5" 16777215
2 0 "8201" 16777215
3 0 "8201" 16777215
0 1 "40.5" 16777215
2 1 "8201" 16777215
3 1 "8201" 16777215
0 2 "8201" 16777215
1 2 "8201" 16777215
3 2 "243" 0
0 3 "8201" 16777215
1 3 "8201" 16777215
2 3 "243" 0
e
set title 'standard deviation, 64 B, 6 repeats' font ',13'
set xlabel 'rank'
set ylabel 'rank'
set palette defined (0 '#1f3fbf', 0.25 '#4fa3d9', 0.5 '#fff3a0', 0.75 '#f08a3c', 1 '#b81d1d')
unset logscale cb
set cbrange [0.01:0.07]
set format cb '%h'
set cblabel 'round trip (us)' offset 1.5
set cbtics autofreq
unset logscale xy
set xtics autofreq norotate
set ytics autofreq
set xrange [-0.5:3.5]
set xtics ("0" 0, "1" 1, "2" 2, "3" 3)
set yrange [-0.5:3.5]
set ytics ("0" 0, "1" 1, "2" 2, "3" 3)
set size square
unset key
plot '-' using 1:2:3 with @cells notitle, '-' using 1:2:3:4 with labels tc rgb variable font ',10' notitle
0 0 nan
1 0 0.01
2 0 0.07
3 0 0.07
0 1 0.01
1 1 nan
2 1 0.07
3 1 0.07
0 2 0.07
1 2 0.07
2 2 nan
3 2 0.03
0 3 0.07
1 3 0.07
2 3 0.03
3 3 nan
e
1 0 "0.01" 16777215
2 0 "0.07" 16777215
3 0 "0.07" 16777215
0 1 "0.01" 16777215
2 1 "0.07" 16777215
3 1 "0.07" 16777215
0 2 "0.07" 16777215
1 2 "0.07" 16777215
3 2 "0.03" 0
0 3 "0.07" 16777215
1 3 "0.07" 16777215
2 3 "0.03" 0
e
unset multiplot
set terminal svg size 900,700 noenhanced font 'sans,11' background '#ffffff'
cells = 'image pixels'
set encoding utf8
set tics out nomirror
set border 3 lc rgb '#404040'
set title 'Mean of the round trip, 64 B, 4 ranks' font ',13'
set xlabel 'rank'
set ylabel 'rank'
set palette defined (0 '#1f3fbf', 0.25 '#4fa3d9', 0.5 '#fff3a0', 0.75 '#f08a3c', 1 '#b81d1d')
unset logscale cb
set cbrange [0:8201.39]
set format cb '%h'
set cblabel 'round trip (us)' offset 1.5
set cbtics autofreq
unset cblabel
set xrange [0:3]
set yrange [0:3]
set xtics 1
set ytics 1
set colorbox user origin 0.92,0.3 size 0.02,0.4
set rmargin at screen 0.88
set border 4095 lc rgb '#808080'
set view 55,320
set xyplane at 0
set zrange [0:8201.39]
unset key
set ticslevel 0
set zlabel 'round trip (us)' rotate parallel
set pm3d border lc rgb '#404040' lw 0.4
splot '-' using 1:2:3 with pm3d
0 0 0
1 0 40.45
2 0 8201.39
3 0 8201.39

0 1 40.45
1 1 0
2 1 8201.39
3 1 8201.39

0 2 8201.39
1 2 8201.39
2 2 0
3 2 242.56

0 3 8201.39
1 3 8201.39
2 3 242.56
3 3 0

e
set terminal svg size 900,700 noenhanced font 'sans,11' background '#ffffff'
cells = 'image pixels'
set encoding utf8
set tics out nomirror
set border 3 lc rgb '#404040'
set title 'Standard deviation of the round trip, 64 B, 4 ranks' font ',13'
set xlabel 'rank'
set ylabel 'rank'
set palette defined (0 '#1f3fbf', 0.25 '#4fa3d9', 0.5 '#fff3a0', 0.75 '#f08a3c', 1 '#b81d1d')
unset logscale cb
set cbrange [0:0.07]
set format cb '%h'
set cblabel 'round trip (us)' offset 1.5
set cbtics autofreq
unset cblabel
set xrange [0:3]
set yrange [0:3]
set xtics 1
set ytics 1
set colorbox user origin 0.92,0.3 size 0.02,0.4
set rmargin at screen 0.88
set border 4095 lc rgb '#808080'
set view 55,320
set xyplane at 0
set zrange [0:0.07]
unset key
set ticslevel 0
set zlabel 'round trip (us)' rotate parallel
set pm3d border lc rgb '#404040' lw 0.4
splot '-' using 1:2:3 with pm3d
0 0 0
1 0 0.01
2 0 0.07
3 0 0.07

0 1 0.01
1 1 0
2 1 0.07
3 1 0.07

0 2 0.07
1 2 0.07
2 2 0
3 2 0.03

0 3 0.07
1 3 0.07
2 3 0.03
3 3 0

e
